import type { IncomingMessage } from 'node:http';
import { isJsonContentType } from '@modelcontextprotocol/server';
import type { Refusal } from './http-guards.ts';
import { readJson } from './json-text.ts';

const MAX_BATCH = 50;

export type BodyReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly refusal: Refusal };

/** Reads a request's JSON, up to so many bytes. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<BodyReading> {
  if (!isJsonContentType(request.headers['content-type'] ?? null))
    return refused(415, -32_000, 'The Content-Type must be application/json.');
  const bytes = await readBytes(request, maxBytes);
  if (bytes === 'too_large') return refused(413, -32_000, `The body is longer than ${maxBytes} bytes.`);
  if (bytes === 'broken') return refused(400, -32_700, 'The body ended early.');
  const json = readText(bytes);
  if (typeof json === 'string') return refused(400, -32_700, `The body can't be read: ${json}.`);
  if (Array.isArray(json.value) && (json.value.length === 0 || json.value.length > MAX_BATCH))
    return refused(400, -32_600, `A batch has 1 to ${MAX_BATCH} messages.`);
  return { ok: true, value: json.value };
}

async function readBytes(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Buffer | 'too_large' | 'broken'> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return 'too_large';
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of request) {
      const bytes = piece as Buffer; // no encoding was set
      length += bytes.length;
      if (length > maxBytes) return 'too_large';
      pieces.push(bytes);
    }
  } catch {
    return 'broken';
  }
  return Buffer.concat(pieces);
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

function readText(bytes: Buffer): { readonly value: unknown } | string {
  let text: string;
  try {
    text = UTF_8.decode(bytes);
  } catch {
    return 'it is no UTF-8';
  }
  const json = readJson(text);
  return json.ok ? json : json.reason;
}

function refused(status: number, code: number, message: string): BodyReading {
  return { ok: false, refusal: { status, code, message } };
}

import type { RequestId } from '@modelcontextprotocol/server';
import { isRecord } from '../../../schema/pointer.ts';

/** What walks a message (validation, copies, writing) would overflow the stack on deeper ones. */
export const MAX_MESSAGE_DEPTH = 200;

export type JsonReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string };

/** Parses JSON from outside. The depth is looked at first, by a scan that itself nests nowhere. */
export function readJson(text: string): JsonReading {
  if (isDeeperThan(text, MAX_MESSAGE_DEPTH))
    return { ok: false, reason: `it is nested deeper than ${MAX_MESSAGE_DEPTH} levels` };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, reason: 'it is no JSON' };
  }
}

const [QUOTE, BACKSLASH, BRACE, BRACKET, BRACE_END, BRACKET_END] = [34, 92, 123, 91, 125, 93];

function isDeeperThan(text: string, most: number): boolean {
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isInText) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isInText = false;
    } else if (code === QUOTE) isInText = true;
    else if (code === BRACE || code === BRACKET) {
      depth += 1;
      if (depth > most) return true;
    } else if (code === BRACE_END || code === BRACKET_END) depth -= 1;
  }
  return false;
}

/** The id that an error about a message goes back under: null where the message is no request. */
export function requestIdOf(message: unknown): RequestId | null {
  const id = isRecord(message) && typeof message.method === 'string' ? message.id : null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/** `multipart/form-data`, both ways. */
import { blobBytes, rawBlob, rawFile } from './blob.ts';
import { FormData, formDataEntries } from './form-data.ts';
import { bridge } from './guest-bridge.ts';
import { concatBytes, decodeUtf8, encodeUtf8 } from './utf8.ts';

const CRLF = [0x0d, 0x0a];
const BOUNDARY_RANDOM_BYTES = 12;

export function encodeMultipart(form: FormData): { readonly bytes: Uint8Array; readonly boundary: string } {
  const random = Array.from(bridge().randomBytes(BOUNDARY_RANDOM_BYTES), (byte) =>
    byte.toString(16).padStart(2, '0'),
  );
  const boundary = `----formdata-${random.join('')}`;
  const pieces: Uint8Array[] = [];
  for (const [name, value] of formDataEntries(form)) {
    const field = `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(toCrlf(name))}"`;
    if (typeof value === 'string') {
      pieces.push(encodeUtf8(`${field}\r\n\r\n${toCrlf(value)}\r\n`));
    } else {
      const type = value.type === '' ? 'application/octet-stream' : value.type;
      pieces.push(
        encodeUtf8(`${field}; filename="${escapeName(value.name)}"\r\nContent-Type: ${type}\r\n\r\n`),
      );
      pieces.push(blobBytes(value), Uint8Array.from(CRLF));
    }
  }
  pieces.push(encodeUtf8(`--${boundary}--\r\n`));
  return { bytes: concatBytes(pieces), boundary };
}

function toCrlf(text: string): string {
  return text.replace(/\r\n?|\n/g, '\r\n');
}

function escapeName(name: string): string {
  return name.replace(/\n/g, '%0A').replace(/\r/g, '%0D').replace(/"/g, '%22');
}

/** The form, or undefined for bytes that are no such form. */
export function decodeMultipart(bytes: Uint8Array, boundary: string): FormData | undefined {
  const form = new FormData();
  const opening = encodeUtf8(`--${boundary}`);
  const delimiter = encodeUtf8(`\r\n--${boundary}`);
  if (!startsWith(bytes, opening, 0)) return undefined;
  let position = opening.length;
  while (!startsWith(bytes, encodeUtf8('--'), position)) {
    if (!startsWith(bytes, Uint8Array.from(CRLF), position)) return undefined;
    position += CRLF.length;
    const headers = readPartHeaders(bytes, position);
    if (headers === undefined) return undefined;
    const end = indexOf(bytes, delimiter, headers.end);
    if (end < 0) return undefined;
    appendPart(form, headers, bytes.slice(headers.end, end));
    position = end + delimiter.length;
  }
  return form;
}

interface PartHeaders {
  readonly name: string;
  readonly filename: string | undefined;
  readonly type: string;
  readonly end: number;
}

function readPartHeaders(bytes: Uint8Array, start: number): PartHeaders | undefined {
  let name: string | undefined;
  let filename: string | undefined;
  let type = 'text/plain';
  let position = start;
  for (;;) {
    const end = indexOf(bytes, Uint8Array.from(CRLF), position);
    if (end < 0) return undefined;
    const line = decodeUtf8(bytes.subarray(position, end));
    position = end + CRLF.length;
    if (line === '') break;
    const colon = line.indexOf(':');
    if (colon < 0) return undefined;
    const value = line.slice(colon + 1).trim();
    const header = line.slice(0, colon).toLowerCase();
    if (header === 'content-type') type = value;
    if (header === 'content-disposition') {
      if (!/^form-data\s*(;|$)/i.test(value)) return undefined;
      name = dispositionParameter(value, 'name');
      filename = dispositionParameter(value, 'filename');
    }
  }
  return name === undefined ? undefined : { name, filename, type, end: position };
}

function dispositionParameter(value: string, parameter: string): string | undefined {
  const found = new RegExp(`;\\s*${parameter}="([^"]*)"`, 'i').exec(value)?.[1];
  return found?.replace(/%0A/gi, '\n').replace(/%0D/gi, '\r').replace(/%22/g, '"');
}

function appendPart(form: FormData, headers: PartHeaders, content: Uint8Array): void {
  if (headers.filename === undefined) form.append(headers.name, decodeUtf8(content));
  else form.append(headers.name, rawFile(rawBlob(content, headers.type), headers.filename, Date.now()));
}

function startsWith(bytes: Uint8Array, pattern: Uint8Array, at: number): boolean {
  return pattern.every((byte, index) => bytes[at + index] === byte);
}

function indexOf(bytes: Uint8Array, pattern: Uint8Array, from: number): number {
  const first = pattern[0] ?? 0;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (startsWith(bytes, pattern, at)) return at;
  }
  return -1;
}

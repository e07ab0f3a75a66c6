import type { Download } from './download.ts';

export type Kind = 'html' | 'text' | 'binary';

const HTML = new Set(['text/html', 'application/xhtml+xml']);
const TEXT = /^text\/|[/+](json|xml|yaml|x-yaml|toml|javascript|x-javascript|ecmascript|x-ndjson|sql|x-sh)$/;

/** What it is by its media type, or, where that says nothing, by its first bytes. */
export function kindOf({ type, bytes }: Pick<Download, 'type' | 'bytes'>): Kind {
  if (HTML.has(type)) return 'html';
  if (TEXT.test(type)) return type === 'text/plain' && looksBinary(bytes) ? 'binary' : 'text';
  if (type !== '' && type !== 'application/octet-stream' && type !== 'unknown/unknown') return 'binary';
  if (looksBinary(bytes)) return 'binary';
  const start = new TextDecoder().decode(bytes.subarray(0, 1_024)).trimStart();
  return /^<(!doctype html|html|head|body|!--)/i.test(start) ? 'html' : 'text';
}

/** Control characters that no text holds; UTF-16 has zero bytes, but begins with its mark. */
function looksBinary(bytes: Uint8Array): boolean {
  if (markOf(bytes) !== undefined) return false;
  return bytes
    .subarray(0, 1_024)
    .some((byte) => byte < 9 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32));
}

function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

/**
 * Decodes as browsers do: the byte order mark, then the header's charset, then the page's own `meta`, then UTF-8 if
 * it is valid, else windows-1252.
 */
export function decodeText(bytes: Uint8Array, charset: string | undefined, isHtml: boolean): string {
  const named = markOf(bytes) ?? charset ?? (isHtml ? metaCharset(bytes) : undefined);
  const decoder = named === undefined ? undefined : decoderFor(named);
  if (decoder !== undefined) return decoder.decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(trimPartial(bytes));
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

function decoderFor(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}

/** A page that was cut may end within a character. */
function trimPartial(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      if (needed > back) end = bytes.length - back;
      break;
    }
  }
  return bytes.subarray(0, end);
}

function metaCharset(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder('windows-1252').decode(bytes.subarray(0, 2_048));
  const label =
    /<meta\s[^>]*?charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(start)?.[1] ??
    /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w:.-]+)/i.exec(start)?.[1];
  // Who could read the name could not have written it in UTF-16.
  return label !== undefined && /^utf-?16/i.test(label) ? 'utf-8' : label;
}

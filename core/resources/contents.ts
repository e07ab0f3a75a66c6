import { asText } from '../plugin/read-plugin-file.ts';
import { show } from '../schema/findings.ts';
import { isRecord } from '../schema/pointer.ts';

/** One piece of what a resource holds, as MCP writes it. `blob` is base64. */
export type ResourceContents = { readonly uri: string; readonly mimeType: string } & (
  | { readonly text: string }
  | { readonly blob: string }
);

const BINARY = 'application/octet-stream';
const PLAIN = 'text/plain';
/** Media types that are text though their first half does not say so. */
const TEXTUAL =
  /^(?:text\/|application\/(?:json|xml|javascript|ecmascript|yaml|toml|sql|graphql|x-ndjson|x-sh)\b|[^;]*\+(?:json|xml|yaml)\b)/i;
const NEVER_TEXT =
  /^(?:image|audio|video|font)\/(?!svg\+xml)|^application\/(?:octet-stream|pdf|zip|gzip|wasm)\b/i;

/** A file as contents: text where its type and its bytes are text, else base64. */
export async function contentsOfFile(
  file: string,
  bytes: Uint8Array,
  { uri, mimeType }: { readonly uri: string; readonly mimeType?: string },
): Promise<ResourceContents> {
  const known = mimeType ?? (await typeOf(file));
  const text = known !== undefined && NEVER_TEXT.test(known) ? undefined : asText(bytes);
  // A NUL is in no text that a model could read, whatever else the bytes are.
  if (text === undefined || (text.includes('\0') && !TEXTUAL.test(known ?? '')))
    return { uri, mimeType: known ?? BINARY, blob: Buffer.from(bytes).toString('base64') };
  return { uri, mimeType: known ?? PLAIN, text };
}

async function typeOf(file: string): Promise<string | undefined> {
  const { default: mime } = await import('mime');
  return mime.getType(file) ?? undefined;
}

export type ContentsReading =
  | { readonly ok: true; readonly contents: readonly ResourceContents[] }
  | { readonly ok: false; readonly path: string; readonly message: string };

const FORMS = 'a text, { text, mimeType? }, { blob, mimeType? } with base64 in it, or a list of these';
const MAX_PIECES = 1_000;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const MIME_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}(?:\s*;[ \w.+=";-]{0,200})?$/;

/** What an implementation answered, as contents. It may be a list, or MCP's own `{ contents }`. */
export function readContents(
  value: unknown,
  defaults: { readonly uri: string; readonly mimeType?: string | undefined },
): ContentsReading {
  const isWhole = isRecord(value) && Array.isArray(value.contents);
  const list: readonly unknown[] =
    isWhole && Array.isArray(value.contents) ? value.contents : Array.isArray(value) ? value : [value];
  const at = isWhole ? 'contents' : '';
  if (list.length > MAX_PIECES)
    return { ok: false, path: at, message: `it has more than ${MAX_PIECES} pieces` };
  const contents: ResourceContents[] = [];
  for (const [index, piece] of list.entries()) {
    const path = isWhole || Array.isArray(value) ? `${at}[${index}]` : '';
    const read = readPiece(piece, defaults);
    if (typeof read === 'string') return { ok: false, path, message: read };
    contents.push(read);
  }
  return { ok: true, contents };
}

function readPiece(
  piece: unknown,
  defaults: { readonly uri: string; readonly mimeType?: string | undefined },
): ResourceContents | string {
  if (typeof piece === 'string')
    return { uri: defaults.uri, mimeType: defaults.mimeType ?? PLAIN, text: piece };
  if (!isRecord(piece)) return `a resource answers with ${FORMS}; this is ${show(piece)}`;
  const { uri = defaults.uri, text, blob, mimeType } = piece;
  if (typeof uri !== 'string') return `its "uri" is ${show(uri)}, not text`;
  if (mimeType !== undefined && (typeof mimeType !== 'string' || !MIME_TYPE.test(mimeType)))
    return `its "mimeType" is ${show(mimeType)}, no media type`;
  if (typeof text === 'string' && blob === undefined)
    return { uri, mimeType: mimeType ?? defaults.mimeType ?? PLAIN, text };
  if (typeof blob === 'string' && text === undefined) {
    if (blob.length % 4 !== 0 || !BASE64.test(blob)) return 'its "blob" is no base64';
    return { uri, mimeType: mimeType ?? defaults.mimeType ?? BINARY, blob };
  }
  return `a resource answers with ${FORMS}; this is an object with ${Object.keys(piece).slice(0, 10).join(', ') || 'nothing in it'}`;
}

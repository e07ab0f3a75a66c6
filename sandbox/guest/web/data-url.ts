/** `data:` URLs for fetch: pure, so they need no permission (https://fetch.spec.whatwg.org/#data-urls). */
import { decodeBase64 } from './base64.ts';
import { Body } from './body.ts';
import { makeHeaders } from './headers.ts';
import { parseMimeType, serializeMimeType } from './mime-type.ts';
import { makeResponse, type Response } from './response.ts';

const DEFAULT_TYPE = 'text/plain;charset=US-ASCII';

export function fetchData(url: string): Response {
  const text = url.slice('data:'.length).replace(/#.*$/s, '');
  const comma = text.indexOf(',');
  if (comma < 0) throw new TypeError('fetch failed: the data: URL has no comma.');
  const encodedType = text.slice(0, comma).trim();
  const base64 = /;[ ]*base64$/i.exec(encodedType);
  const typeText = base64 === null ? encodedType : encodedType.slice(0, base64.index);
  const bytes = contentOf(percentDecode(text.slice(comma + 1)), base64 !== null);
  const type = parseMimeType(typeText.startsWith(';') ? `text/plain${typeText}` : typeText);
  return makeResponse({
    type: 'basic',
    url,
    redirected: false,
    status: 200,
    statusText: 'OK',
    headers: makeHeaders(
      [['content-type', type === undefined ? DEFAULT_TYPE : serializeMimeType(type)]],
      'immutable',
    ),
    body: Body.ofBytes(bytes),
  });
}

function contentOf(bytes: Uint8Array, base64: boolean): Uint8Array {
  if (!base64) return bytes;
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  const decoded = decodeBase64(text.replace(/[\t\n\f\r ]/g, ''));
  if (decoded === undefined) throw new TypeError('fetch failed: the data: URL is not correct base64.');
  return decoded;
}

/** A serialized URL is ASCII: each character that is no escape is one byte. */
function percentDecode(text: string): Uint8Array {
  const bytes: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const escape = /^%([0-9a-f]{2})/i.exec(text.slice(index, index + 3))?.[1];
    if (escape === undefined) bytes.push(text.charCodeAt(index) & 0xff);
    else {
      bytes.push(Number.parseInt(escape, 16));
      index += 2;
    }
  }
  return Uint8Array.from(bytes);
}

import { isRecord } from '../../schema/pointer.ts';
import type { Catalogue } from '../messages/catalogue.ts';
import type { ContentPart } from '../result.ts';

/** A result that says itself how it wants to be read. */
export interface ContentValue {
  readonly text: string;
  readonly parts: readonly ContentPart[];
  /** MCP's `structuredContent`: what `returns` is held against, and the `value` of the result. */
  readonly structured?: unknown;
  /** MCP's `isError`: the text tells of a failure. */
  readonly isError: boolean;
}

/**
 * Two forms of a result are content and not data:
 *
 * - one part: `{ type: 'image', data, mimeType }` or `{ type: 'file', data, mimeType, name? }`, `data` in base64;
 * - MCP's `{ content: [...] }`, with no key beside `content`, `structuredContent`, `isError` and `_meta`, and only
 *   items of the types `text`, `image`, `audio`, `file`, `resource` and `resource_link`.
 *
 * Anything that only looks similar (other keys, no base64) is data and is shown as JSON.
 */
export function readContent(value: unknown, catalogue: Catalogue): ContentValue | undefined {
  if (!isRecord(value)) return undefined;
  if (value.type === 'image' || value.type === 'file') {
    const item = readItem(value, catalogue);
    return item === undefined ? undefined : { text: item.text, parts: item.parts, isError: false };
  }
  if (!Array.isArray(value.content) || !Object.keys(value).every((key) => RESULT_KEYS.has(key)))
    return undefined;
  if (value.content.length === 0 && value.structuredContent === undefined) return undefined;
  const items = value.content.map((item) => readItem(item, catalogue));
  if (!items.every((item) => item !== undefined)) return undefined;
  const structured = value.structuredContent === undefined ? {} : { structured: value.structuredContent };
  return {
    text: items.map(({ text }) => text).join('\n'),
    parts: items.flatMap(({ parts }) => parts),
    isError: value.isError === true,
    ...structured,
  };
}

const RESULT_KEYS: ReadonlySet<string> = new Set(['content', 'structuredContent', 'isError', '_meta']);

interface Item {
  readonly text: string;
  readonly parts: readonly ContentPart[];
}

function readItem(item: unknown, catalogue: Catalogue): Item | undefined {
  if (!isRecord(item)) return undefined;
  switch (item.type) {
    case 'text':
      return typeof item.text === 'string' ? { text: item.text, parts: [] } : undefined;
    case 'image':
      return readPart('image', item.data, item.mimeType, undefined, catalogue);
    case 'audio':
    case 'file':
      return readPart('file', item.data, item.mimeType, item.name, catalogue);
    case 'resource':
      return readResource(item.resource, catalogue);
    case 'resource_link':
      return typeof item.uri === 'string' ? { text: linkText(item.uri, item.name), parts: [] } : undefined;
    default:
      return undefined;
  }
}

function readResource(resource: unknown, catalogue: Catalogue): Item | undefined {
  if (!isRecord(resource)) return undefined;
  if (typeof resource.text === 'string') return { text: resource.text, parts: [] };
  const mimeType = resource.mimeType ?? 'application/octet-stream';
  return readPart('file', resource.blob, mimeType, resource.uri, catalogue);
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const MIME_TYPE = /^[\w.+-]{1,100}\/[\w.+-]{1,100}(?:;[^\n]{0,200})?$/;

function readPart(
  type: 'image' | 'file',
  data: unknown,
  mimeType: unknown,
  name: unknown,
  catalogue: Catalogue,
): Item | undefined {
  if (typeof data !== 'string' || data.length % 4 !== 0 || !BASE64.test(data)) return undefined;
  if (typeof mimeType !== 'string' || !MIME_TYPE.test(mimeType)) return undefined;
  const label = typeof name === 'string' && name !== '' ? name.slice(0, 200) : undefined;
  const text = catalogue.part(type, mimeType, Buffer.byteLength(data, 'base64'), label);
  if (type === 'image') return { text, parts: [{ type, data, mimeType }] };
  return { text, parts: [{ type, data, mimeType, ...(label === undefined ? {} : { name: label }) }] };
}

function linkText(uri: string, name: unknown): string {
  return typeof name === 'string' && name !== '' ? `${name}: ${uri}` : uri;
}

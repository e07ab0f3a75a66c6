import type { IncomingHttpHeaders } from 'node:http';
import type { View } from '../../../catalog/view.ts';
import { isRecord } from '../../../schema/pointer.ts';
import { listedTools } from './tool-list.ts';

const KEYWORD = 'x-mcp-header';
const PREFIX = 'mcp-param-';

/** An argument that its tool wants to see in an HTTP header too, for proxies that route by it (SEP-2243). */
interface Mirrored {
  readonly path: readonly string[];
  readonly header: string;
}

/**
 * What is wrong with the `Mcp-Param-*` headers of a call, or undefined. A proxy acts on the headers and the tool on the
 * body, so a request in which they differ must not run. Known from revision 2026-07-28 on.
 */
export function findHeaderMismatch(
  view: View,
  message: unknown,
  headers: IncomingHttpHeaders,
): string | undefined {
  if (!isRecord(message) || message.method !== 'tools/call' || !isRecord(message.params)) return undefined;
  const { name, arguments: args } = message.params;
  const tool = listedTools(view).find((each) => each.name === name);
  for (const { path, header } of mirroredIn(tool?.inputSchema, [])) {
    const value = textOf(path.reduce<unknown>((at, key) => own(at, key), args));
    // An argument that is not there has no header; one that comes all the same says nothing.
    if (value === undefined) continue;
    const sent = headers[PREFIX + header.toLowerCase()];
    if (typeof sent !== 'string') return `the header Mcp-Param-${header} is missing`;
    const decoded = decode(sent);
    if (decoded === undefined) return `the header Mcp-Param-${header} is no proper base64`;
    if (decoded !== value)
      return `the header Mcp-Param-${header} differs from the argument ${path.join('.')}`;
  }
  return undefined;
}

function* mirroredIn(schema: unknown, path: readonly string[]): Generator<Mirrored> {
  const properties = own(schema, 'properties');
  if (!isRecord(properties)) return;
  for (const [key, child] of Object.entries(properties)) {
    const header = own(child, KEYWORD);
    if (typeof header === 'string' && header !== '') yield { path: [...path, key], header };
    yield* mirroredIn(child, [...path, key]);
  }
}

function own(value: unknown, key: string): unknown {
  return isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}

const ENCODED = /^=\?base64\?(.*)\?=$/s;

/** Header values beyond plain ASCII come as base64 in a frame of their own. */
function decode(sent: string): string | undefined {
  const [, encoded] = ENCODED.exec(sent) ?? [];
  if (encoded === undefined) return sent;
  const bytes = Buffer.from(encoded, 'base64');
  return bytes.toString('base64') === encoded ? bytes.toString('utf8') : undefined;
}

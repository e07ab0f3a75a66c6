import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server';

/** Why a request is not let in. */
export interface Refusal {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface GuardOptions {
  /** Names under which this server may be called, as `Host` and `Origin` have them (IPv6 in brackets). */
  readonly hostNames: readonly string[];
  /** Without it nobody else gets in. */
  readonly token?: string;
}

export const ENDPOINT = '/mcp';
const METHODS = ['GET', 'POST', 'DELETE'];

/**
 * Looks at a request before a byte of its body is read. `Host` and `Origin` stand against DNS rebinding: a web page whose
 * own name was pointed to this machine would be let in by the address alone.
 */
export function createGuard({
  hostNames,
  token,
}: GuardOptions): (request: IncomingMessage) => Refusal | undefined {
  const names = [...hostNames];
  const expected = token === undefined ? undefined : digest(token);
  return ({ headers, method = '', url = '' }) => {
    const host = validateHostHeader(headers.host, names);
    if (!host.ok) return { status: 403, code: -32_000, message: 'This Host is not served here.' };
    const origin = validateOriginHeader(headers.origin, names);
    if (!origin.ok) return { status: 403, code: -32_000, message: 'This Origin is not let in.' };
    if (expected !== undefined && !matches(headers.authorization, expected)) {
      return {
        ...{ status: 401, code: -32_001, message: 'A bearer token is needed.' },
        headers: { 'www-authenticate': 'Bearer realm="glovebox"' },
      };
    }
    const [path] = url.split('?', 1);
    if (path !== ENDPOINT && path !== `${ENDPOINT}/`)
      return { status: 404, code: -32_000, message: `MCP is at ${ENDPOINT}.` };
    if (!METHODS.includes(method)) {
      const headers = { allow: METHODS.join(', ') };
      return { status: 405, code: -32_000, message: 'The method is not allowed.', headers };
    }
    return undefined;
  };
}

/** In a time that says nothing of the token: digests of one length are compared. */
function matches(authorization: string | undefined, expected: Buffer): boolean {
  const [, given] = /^bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  return timingSafeEqual(digest(given ?? ''), expected) && given !== undefined;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { ABORTED, type Answer, denied, done, failed, type RecordUse } from '../outcome.ts';
import type { Policy } from '../policy.ts';
import { edgeHeaders, type SecretSource } from '../secrets/edge.ts';
import { canonicalAddress } from './address.ts';
import type { Connections, PoolResponse, RequestPool } from './connections.ts';
import { ACCEPTED_ENCODINGS, decodeBody } from './decode.ts';
import { type HeaderList, withEdge, withoutBody, withoutCredentials } from './headers.ts';
import type { NetLimits } from './limits.ts';
import { LONGEST_URL } from './pattern.ts';
import { type Resolver, resolveHost } from './resolve.ts';

export interface ExchangeContext {
  readonly policy: Policy;
  readonly connections: Connections;
  readonly resolver: Resolver;
  readonly secrets: SecretSource;
  readonly limits: NetLimits;
  readonly record: RecordUse;
}

export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: HeaderList;
  readonly body: Uint8Array | undefined;
  readonly redirect: 'follow' | 'manual' | 'error';
}

export interface IncomingResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: HeaderList;
  readonly url: string;
  readonly redirected: boolean;
  /** Undefined where there can be none. */
  readonly body: Readable | undefined;
}

/** Sends a request and follows its redirects; every hop is checked as if the plugin had asked for it. */
export async function exchange(
  context: ExchangeContext,
  first: OutgoingRequest,
  signal: AbortSignal,
): Promise<Answer<IncomingResponse>> {
  let request = first;
  for (let hops = 0; ; hops += 1) {
    const sent = await sendOnce(context, request, signal);
    if (!sent.ok) return sent;
    const response = sent.value;
    const location = isRedirect(response.statusCode) ? single(response.headers.location) : undefined;
    if (location === undefined || request.redirect === 'manual') {
      return receive(response, request, hops > 0);
    }
    discard(response);
    if (request.redirect === 'error') return failed('TypeError', 'fetch failed: the server redirects');
    if (hops >= context.limits.redirects) {
      return failed('TypeError', `fetch failed: more than ${context.limits.redirects} redirects`);
    }
    const next = nextRequest(request, response.statusCode, location);
    if (!next) return failed('TypeError', 'fetch failed: the server redirects to an invalid URL');
    request = next;
  }
}

async function sendOnce(
  context: ExchangeContext,
  request: OutgoingRequest,
  signal: AbortSignal,
): Promise<Answer<PoolResponse>> {
  const { policy, record } = context;
  const { method, url } = request;
  const target = `${method} ${withoutQuery(url)}`;
  const requested = policy.net.requested.some((rule) => rule.matches(method, url));
  const refuse = (reason: string, grantable: boolean, isAsked = requested) => {
    record({ capability: 'net', target, allowed: false });
    return denied({ capability: 'net', target, reason, requested: isAsked, grantable });
  };
  if (climbs(url.pathname))
    return refuse('its path holds an encoded way up ("..%2f"), which servers read as another path.', false);
  if (!requested) return refuse('the plugin did not ask for it.', true);
  if (!policy.net.granted.some((rule) => rule.matches(method, url)))
    return refuse('no grant covers it.', true);
  const resolved = await resolveHost(url, method, policy.net.granted, context.resolver, signal);
  if (signal.aborted) return ABORTED;
  if (!resolved.ok) {
    // Where a name leads is not told; an address that was written out can be named in a grant.
    if (resolved.kind === 'refused') {
      // What is granted as requested must be named in the request.
      const isAsked = policy.net.granted !== policy.net.requested;
      return refuse(resolved.reason, canonicalAddress(url.hostname) !== undefined, isAsked);
    }
    return failed('TypeError', `fetch failed: ${resolved.reason} (${url.hostname})`, 'ENOTFOUND');
  }
  const edge = edgeHeaders(policy, url.origin, context.secrets);
  if (!edge.ok) return failed('Error', `${edge.message}.`, 'secret_unavailable');
  record({ capability: 'net', target, allowed: true });
  for (const name of edge.used) record({ capability: 'secrets', target: name, allowed: true });
  const pool = await context.connections.acquire(url.origin, resolved.addresses);
  const headers = withEdge([['accept-encoding', ACCEPTED_ENCODINGS], ...request.headers], edge.headers);
  try {
    return done(await dispatch(pool, request, headers, signal));
  } catch (error) {
    return signal.aborted ? ABORTED : networkFailure(error, url);
  }
}

async function dispatch(
  pool: RequestPool,
  request: OutgoingRequest,
  headers: HeaderList,
  signal: AbortSignal,
): Promise<PoolResponse> {
  const { method, url } = request;
  const response = await pool.request({
    path: `${url.pathname}${url.search}`,
    // A method is any token; undici's type lists the registered ones.
    method: method as Dispatcher.HttpMethod,
    headers: headers.flat(),
    body: request.body ?? null,
    signal,
  });
  // Closing the socket mid-body emits an error here; without a listener that would end the host.
  response.body.on('error', () => undefined);
  return response;
}

function receive(
  response: PoolResponse,
  request: OutgoingRequest,
  redirected: boolean,
): Answer<IncomingResponse> {
  const nothing = request.method === 'HEAD' || [101, 204, 205, 304].includes(response.statusCode);
  if (nothing) discard(response);
  const body = nothing ? undefined : decodeBody(response.body, joined(response.headers['content-encoding']));
  if (!nothing && !body) {
    discard(response);
    return failed('TypeError', 'fetch failed: the response is encoded too many times over');
  }
  body?.on('error', () => undefined);
  const headers = Object.entries(response.headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value ?? '']).map((one): readonly [string, string] => [name, one]),
  );
  return done({
    status: response.statusCode,
    statusText: response.statusText,
    headers,
    url: request.url.href,
    redirected,
    body,
  });
}

function nextRequest(
  request: OutgoingRequest,
  status: number,
  location: string,
): OutgoingRequest | undefined {
  // A Location header is bytes; servers put UTF-8 in it.
  const url = URL.parse(Buffer.from(location, 'latin1').toString('utf8'), request.url.href);
  if (!url || url.href.length > LONGEST_URL || url.username || url.password) return undefined;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  if (!url.hash) url.hash = request.url.hash;
  const toGet =
    (status === 303 && request.method !== 'GET' && request.method !== 'HEAD') ||
    ((status === 301 || status === 302) && request.method === 'POST');
  const kept = url.origin === request.url.origin ? request.headers : withoutCredentials(request.headers);
  if (!toGet) return { ...request, url, headers: kept };
  return { ...request, url, method: 'GET', body: undefined, headers: withoutBody(kept) };
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** Several headers of one name are one list. */
function joined(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value;
}

function discard(response: PoolResponse): void {
  // Reading a short rest keeps the connection; a long one costs it.
  response.body.dump({ limit: 16_384 }).catch(() => undefined);
}

/** A URL's own `..` is resolved already; what is left of it are spellings that servers undo after the check. */
function climbs(path: string): boolean {
  if (!/%|;|\\/.test(path)) return false;
  const undone = path
    .replace(/%(?:25)*2e/gi, '.')
    .replace(/%(?:25)*(?:2f|5c)|\\/gi, '/')
    .replace(/%(?:25)*3b/gi, ';');
  return undone.split('/').some((segment) => /^\.\.(?:;|$)/.test(segment));
}

/** Queries carry personal data and keys: neither the audit nor a message needs them. */
function withoutQuery(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

const FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the server refused the connection',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ETIMEDOUT: 'the server did not answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'the server did not answer in time',
  UND_ERR_HEADERS_TIMEOUT: 'the server did not answer in time',
  UND_ERR_BODY_TIMEOUT: 'the server stopped sending',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_HEADERS_OVERFLOW: 'the response headers are too large',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
};

/** The host's own error names addresses and internals; the plugin gets the kind. */
export function networkFailure(error: unknown, url?: URL) {
  const code = errorCode(error);
  const said = FAILURES[code ?? ''] ?? 'the connection failed or the answer was no valid HTTP';
  return failed('TypeError', `fetch failed: ${said}${url ? ` (${url.host})` : ''}`, code);
}

function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' && /^[A-Z0-9_]{1,60}$/.test(error.code) ? error.code : undefined;
}

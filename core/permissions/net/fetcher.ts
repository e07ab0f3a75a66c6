import type { Readable } from 'node:stream';
import { ABORTED, type Answer, done, failed, type RecordUse } from '../outcome.ts';
import { base64Of, optionalTextOf, type Params, pairsOf, textOf } from '../params.ts';
import type { Policy } from '../policy.ts';
import type { SecretSource } from '../secrets/edge.ts';
import type { RedactingStream, Redactor } from '../secrets/redactor.ts';
import type { Connections } from './connections.ts';
import { exchange, type IncomingResponse, networkFailure, type OutgoingRequest } from './exchange.ts';
import { checkHeaders } from './headers.ts';
import { CHUNK_BYTES, type NetLimits } from './limits.ts';
import { isRefusedMethod, LONGEST_URL } from './pattern.ts';
import type { Resolver } from './resolve.ts';

export interface FetcherServices {
  readonly policy: Policy;
  readonly connections: Connections;
  readonly resolver: Resolver;
  readonly secrets: SecretSource;
  readonly redactor: Redactor;
  readonly limits: NetLimits;
  readonly record: RecordUse;
  /** The call's. */
  readonly signal: AbortSignal;
}

export interface Fetcher {
  open(params: Params): Promise<Answer>;
  read(params: Params): Promise<Answer>;
  close(params: Params): Promise<Answer>;
  /** Ends every open request at once. */
  closeAll(): void;
}

interface Handle {
  readonly abort: AbortController;
  body: Readable | undefined;
  iterator: AsyncIterator<Uint8Array> | undefined;
  readonly redaction: RedactingStream;
  /** Decoded, redacted, not yet asked for. */
  ready: Uint8Array;
  received: number;
  ended: boolean;
  /** The guest may ask twice before the first answer; answers keep their order. */
  turn: Promise<unknown>;
}

/** The requests of one call: `fetch.open`, `fetch.read`, `fetch.close`. */
export function createFetcher(services: FetcherServices): Fetcher {
  const { limits, redactor } = services;
  const handles = new Map<string, Handle>();
  let totalReceived = 0;

  async function open(params: Params): Promise<Answer> {
    const id = textOf(params, 'request', 100);
    const request = readRequest(params, limits);
    if (!request.ok) return request;
    if (handles.has(id)) return failed('TypeError', 'the request id is in use');
    if (handles.size >= limits.openRequests) {
      return failed(
        'TypeError',
        `fetch failed: more than ${limits.openRequests} requests are open at one time`,
      );
    }
    const handle = createHandle(redactor);
    handles.set(id, handle);
    const signal = AbortSignal.any([services.signal, handle.abort.signal]);
    const answer = await exchange(services, request.value, signal);
    if (!answer.ok || signal.aborted) {
      if (answer.ok) answer.value.body?.destroy();
      release(id, handle);
      return answer.ok ? ABORTED : answer;
    }
    const { body } = answer.value;
    if (body) {
      handle.body = body;
      handle.iterator = body[Symbol.asyncIterator]();
      signal.addEventListener('abort', () => body.destroy(), { once: true });
    } else release(id, handle);
    return done(describe(answer.value, redactor));
  }

  async function read(params: Params): Promise<Answer> {
    const id = textOf(params, 'request', 100);
    const handle = handles.get(id);
    if (!handle) return done({ done: true });
    const turn = handle.turn.then(() => readChunk(id, handle));
    handle.turn = turn;
    return turn;
  }

  async function readChunk(id: string, handle: Handle): Promise<Answer> {
    try {
      while (handle.ready.length === 0 && !handle.ended) {
        const problem = await pull(handle);
        if (problem) {
          release(id, handle);
          return problem;
        }
      }
    } catch (error) {
      const aborted = handle.abort.signal.aborted || services.signal.aborted;
      release(id, handle);
      return aborted ? ABORTED : networkFailure(error);
    }
    if (handle.ready.length === 0) {
      release(id, handle);
      return done({ done: true });
    }
    const chunk = handle.ready.subarray(0, CHUNK_BYTES);
    handle.ready = handle.ready.subarray(chunk.length);
    return done({ chunk: Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('base64') });
  }

  async function pull(handle: Handle): Promise<Answer | undefined> {
    const next = await handle.iterator?.next();
    if (!next || next.done) {
      handle.ended = true;
      if (handle.abort.signal.aborted || services.signal.aborted) return ABORTED;
      handle.ready = handle.redaction.end();
      return undefined;
    }
    handle.received += next.value.length;
    totalReceived += next.value.length;
    if (handle.received > limits.responseBytes || totalReceived > limits.totalResponseBytes) {
      const limit = handle.received > limits.responseBytes ? limits.responseBytes : limits.totalResponseBytes;
      return failed(
        'TypeError',
        `the response is larger than the ${limit} bytes allowed`,
        'response_too_large',
      );
    }
    handle.ready = handle.redaction.push(next.value);
    return undefined;
  }

  function release(id: string, handle: Handle): void {
    if (handles.get(id) === handle) handles.delete(id);
    handle.abort.abort();
    handle.body?.destroy();
  }

  return {
    open,
    read,
    async close(params) {
      const id = textOf(params, 'request', 100);
      const handle = handles.get(id);
      if (handle) release(id, handle);
      return done(null);
    },
    closeAll() {
      for (const [id, handle] of handles) release(id, handle);
    },
  };
}

function createHandle(redactor: Redactor): Handle {
  return {
    abort: new AbortController(),
    body: undefined,
    iterator: undefined,
    redaction: redactor.stream(),
    ready: new Uint8Array(0),
    received: 0,
    ended: false,
    turn: Promise.resolve(),
  };
}

/** What the plugin may see of a response: a server may echo a secret in a header, a status text or a redirect's URL. */
function describe(response: IncomingResponse, redactor: Redactor) {
  return {
    status: response.status,
    statusText: redactor.text(response.statusText),
    headers: response.headers
      .filter(([name]) => redactor.text(name) === name)
      .map(([name, value]) => [name, redactor.latin1(value)]),
    url: redactor.text(response.url),
    redirected: response.redirected,
    body: response.body !== undefined,
  };
}

function readRequest(params: Params, limits: NetLimits): Answer<OutgoingRequest> {
  const method = normaliseMethod(textOf(params, 'method', 64));
  if (!method) return failed('TypeError', 'fetch failed: the method is invalid');
  const text = textOf(params, 'url', 65_536);
  const url = URL.parse(text);
  if (!url || url.href.length > LONGEST_URL)
    return failed('TypeError', 'fetch failed: the URL is invalid or too long');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return failed(
      'TypeError',
      `fetch failed: the scheme ${url.protocol} is not supported, only http: and https:`,
    );
  }
  if (url.username || url.password) {
    return failed(
      'TypeError',
      'fetch failed: the URL holds a user name or a password; send a header instead',
    );
  }
  const headers = checkHeaders(pairsOf(params, 'headers'));
  if (!headers.ok) return failed('TypeError', `fetch failed: ${headers.message}`);
  const body = base64Of(params, 'body', limits.requestBytes);
  if (body === 'too_large') {
    return failed(
      'TypeError',
      `fetch failed: the request body is larger than the ${limits.requestBytes} bytes allowed`,
    );
  }
  if (body && (method === 'GET' || method === 'HEAD')) {
    return failed('TypeError', `fetch failed: a ${method} request can't have a body`);
  }
  const redirect = optionalTextOf(params, 'redirect', 10) ?? 'follow';
  if (redirect !== 'follow' && redirect !== 'manual' && redirect !== 'error') {
    return failed('TypeError', 'fetch failed: redirect must be follow, manual or error');
  }
  return done({ method, url, headers: headers.headers, body, redirect });
}

const NORMALISED = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH']);

/** Undefined for what is no method or may not be used. Known names in any case mean the upper-case one. */
function normaliseMethod(method: string): string | undefined {
  const upper = method.toUpperCase();
  if (!/^[A-Za-z]+(?:-[A-Za-z]+)*$/.test(method) || isRefusedMethod(upper)) return undefined;
  return NORMALISED.has(upper) ? upper : method;
}

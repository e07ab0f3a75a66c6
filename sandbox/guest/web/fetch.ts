import { type AbortSignal, whenAborted } from './abort.ts';
import { decodeBase64, encodeBase64 } from './base64.ts';
import { Body, type ByteSource } from './body.ts';
import { fetchData } from './data-url.ts';
import { bridge } from './guest-bridge.ts';
import { headerList, makeHeaders } from './headers.ts';
import { Request, requestState } from './request.ts';
import { makeResponse, type Response } from './response.ts';
import { requireArguments } from './webidl.ts';

/** A streamed request body is buffered before it leaves, up to this size. */
export const MAX_STREAMED_BODY_BYTES = 8_388_608;

interface Opened {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly url: string;
  readonly redirected: boolean;
  readonly body: boolean;
}

type Piece = { readonly done: true } | { readonly done?: undefined; readonly chunk: string };

let requests = 0;

export async function fetch(input: unknown, init: unknown = undefined): Promise<Response> {
  requireArguments(arguments.length, 1, 'fetch');
  const request = new Request(input, init);
  request.signal.throwIfAborted();
  const { url } = requestState(request);
  if (url.scheme === 'data') return fetchData(request.url);
  if (url.scheme !== 'http' && url.scheme !== 'https') {
    throw new TypeError(`fetch failed: the scheme "${url.scheme}" is not supported.`);
  }
  return exchange(request);
}

/** One request on the host's side, from `fetch.open` to `fetch.close`. */
class Exchange implements ByteSource {
  readonly id: string;
  #closed = false;
  #aborted: { readonly reason: unknown } | undefined;
  #rejectAborted: (reason: unknown) => void = () => undefined;
  readonly #whenAborted: Promise<never>;
  #breakOff: ((reason: unknown) => void) | undefined;
  readonly #forget: () => void;

  constructor(signal: AbortSignal) {
    requests += 1;
    this.id = `fetch-${requests}`;
    this.#whenAborted = new Promise((_resolve, reject) => {
      this.#rejectAborted = reject;
    });
    // Nobody may be waiting when it comes.
    this.#whenAborted.catch(() => undefined);
    this.#forget = whenAborted(signal, () => this.#abort(signal.reason));
  }

  /** A host call that an abort cuts short. */
  async call(method: string, params: object): Promise<unknown> {
    if (this.#aborted !== undefined) throw this.#aborted.reason;
    return this.orAborted(bridge().hostCall(method, { request: this.id, ...params }));
  }

  orAborted<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#whenAborted]);
  }

  async read(): Promise<Uint8Array | undefined> {
    if (this.#closed && this.#aborted === undefined) return undefined;
    const piece = (await this.call('fetch.read', {})) as Piece; // the broker's answer
    if (piece.done === true) {
      this.finish();
      return undefined;
    }
    const bytes = decodeBase64(piece.chunk);
    if (bytes === undefined) throw new TypeError('fetch failed: the body could not be read.');
    // An empty piece would stand for the end of a byte stream.
    return bytes.length === 0 ? this.read() : bytes;
  }

  async cancel(): Promise<void> {
    this.close();
  }

  onBreak(breakOff: (reason: unknown) => void): void {
    this.#breakOff = breakOff;
    if (this.#aborted !== undefined) breakOff(this.#aborted.reason);
  }

  /** The host has nothing left to close. */
  finish(): void {
    this.#closed = true;
    this.#forget();
  }

  close(): void {
    if (this.#closed) return;
    this.finish();
    bridge()
      .hostCall('fetch.close', { request: this.id })
      .catch(() => undefined);
  }

  #abort(reason: unknown): void {
    if (this.#closed) return;
    this.#aborted = { reason };
    this.close();
    this.#rejectAborted(reason);
    this.#breakOff?.(reason);
  }
}

async function exchange(request: Request): Promise<Response> {
  const state = requestState(request);
  const { signal } = request;
  const running = new Exchange(signal);
  try {
    const body = await bodyText(state.body, running);
    const opened = (await running.call('fetch.open', {
      method: request.method,
      url: request.url,
      headers: headerList(state.headers),
      ...(body === undefined ? {} : { body }),
      redirect: request.redirect,
    })) as Opened; // the broker's answer
    if (!opened.body) running.finish();
    return makeResponse({
      type: 'basic',
      url: opened.url.replace(/#.*$/s, ''),
      redirected: opened.redirected,
      status: opened.status,
      statusText: opened.statusText,
      headers: makeHeaders(opened.headers, 'immutable'),
      body: opened.body ? Body.ofSource(running) : undefined,
    });
  } catch (error) {
    // Aborted ones have closed themselves; where the host refused, there is nothing to close.
    running.finish();
    throw error;
  }
}

async function bodyText(body: Body | undefined, running: Exchange): Promise<string | undefined> {
  if (body === undefined) return undefined;
  if (body.known !== undefined) {
    const bytes = await body.consume();
    return encodeBase64(bytes);
  }
  const bytes = await running.orAborted(body.consume(MAX_STREAMED_BODY_BYTES));
  return encodeBase64(bytes);
}

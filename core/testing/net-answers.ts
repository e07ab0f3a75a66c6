import { Readable } from 'node:stream';
import type { Connections, PoolResponse, RequestPool } from '../permissions/net/connections.ts';

/** A request as it would leave for the server, secrets and all. */
export interface NetRequest {
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** A server's answer, decoded. */
export interface NetAnswer {
  /** @defaultValue 200 */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
  /** In place of `body`: sent as JSON. */
  readonly json?: unknown;
}

/** Answers in a server's place; what it throws is a connection that failed. */
export type Responder = (request: NetRequest) => NetAnswer | Promise<NetAnswer>;

/** Connections that lead to a function instead of a server. All that stands before them (policy, secrets) is as ever. */
export function answeringConnections(respond: Responder): Connections {
  return {
    acquire: async (origin): Promise<RequestPool> => ({
      request: async ({ path, method, headers, body }) =>
        toResponse(await respond(toRequest(`${origin}${path}`, method, headers, body))),
    }),
    close: async () => undefined,
  };
}

export function toRequest(url: string, method: string, headers: unknown, body: unknown): NetRequest {
  return {
    method,
    url,
    headers: toRecord(headers),
    body: body instanceof Uint8Array ? body : undefined,
  };
}

/** `[name, value, name, value]`, as the host sends them. */
function toRecord(flat: unknown): Record<string, string> {
  const record: Record<string, string> = Object.create(null);
  if (!Array.isArray(flat)) return record;
  for (let index = 0; index + 1 < flat.length; index += 2)
    record[String(flat[index]).toLowerCase()] = String(flat[index + 1]);
  return record;
}

export function toResponse({ status = 200, headers = {}, body, json }: NetAnswer): PoolResponse {
  const text = json === undefined ? (body ?? '') : JSON.stringify(json);
  const type = json === undefined ? {} : { 'content-type': 'application/json' };
  const lowered = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    typeof value === 'string' ? value : [...value],
  ]);
  const stream = Readable.from([Buffer.from(text)], { objectMode: false });
  return {
    statusCode: status,
    statusText: '',
    headers: { ...type, ...Object.fromEntries(lowered) },
    body: Object.assign(stream, { dump: async () => stream.destroy() }),
  };
}

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type Connections, createConnections } from '../permissions/net/connections.ts';
import { decodeBody } from '../permissions/net/decode.ts';
import { DEFAULT_NET_LIMITS } from '../permissions/net/limits.ts';
import type { Redactor } from '../permissions/secrets/redactor.ts';
import { isRecord } from '../schema/pointer.ts';
import { type NetAnswer, type NetRequest, type Responder, toRequest, toResponse } from './net-answers.ts';

/** One file below a plugin's `fixtures/net`. No header of the request is in it: that is where secrets are. */
interface Fixture {
  readonly request: { readonly method: string; readonly url: string; readonly bodySha256?: string };
  readonly response: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string | readonly string[]>>;
    readonly body?: string;
    /** In place of `body`, for what is no UTF-8 text. */
    readonly bodyBase64?: string;
  };
}

const FOLDER = path.join('fixtures', 'net');
const MAX_BODY_BYTES = 1_048_576;
const MAX_FIXTURES = 1_000;
/** Parameters that carry keys in many an API; they are neither written nor compared. */
const SECRET_PARAMETER = /^(?:api[-_]?key|key|access[-_]?token|token|auth|secret|password|sig|signature)$/i;
/** Headers of an answer that matter to nobody, change each time, or are a session. */
const DROPPED_HEADERS = new Set([
  ...['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'content-encoding', 'date'],
  ...['set-cookie', 'authorization', 'proxy-authenticate', 'www-authenticate', 'alt-svc', 'server'],
]);

/** A request that nothing was recorded for. */
export class MissingFixture extends Error {
  override readonly name = 'MissingFixture';
  readonly request: string;

  constructor({ method, url }: NetRequest) {
    const request = `${method} ${withoutSecrets(url)}`;
    super(`nothing is recorded for ${request}`);
    this.request = request;
  }
}

/** Answers from what was recorded; anything else is a {@link MissingFixture}. */
export async function replay(pluginDir: string): Promise<Responder> {
  const fixtures = await readFixtures(path.join(pluginDir, FOLDER));
  return (request) => {
    const found = fixtures.get(keyOf(request));
    if (found === undefined) throw new MissingFixture(request);
    return found;
  };
}

/** Asks the real servers, and writes down what they answer with the secrets taken out. */
export function recordingConnections(pluginDir: string, redactor: Redactor): Connections {
  const real = createConnections({ headerBytes: DEFAULT_NET_LIMITS.headerBytes });
  return {
    async acquire(origin, addresses) {
      const pool = await real.acquire(origin, addresses);
      return {
        async request(options) {
          const response = await pool.request(options);
          const encoding = response.headers['content-encoding'];
          const decoded = decodeBody(response.body, Array.isArray(encoding) ? encoding[0] : encoding);
          if (decoded === undefined) throw new TypeError('the answer is encoded too many times over');
          const body = await buffer(decoded);
          const headers = Object.fromEntries(
            Object.entries(response.headers).flatMap(([name, value]) =>
              value === undefined || DROPPED_HEADERS.has(name) ? [] : [[name, value] as const],
            ),
          );
          const request = toRequest(`${origin}${options.path}`, options.method, [], options.body);
          await writeFixture(pluginDir, request, { status: response.statusCode, headers, body }, redactor);
          return toResponse({ status: response.statusCode, headers, body });
        },
      };
    },
    close: () => real.close(),
  };
}

async function writeFixture(
  pluginDir: string,
  request: NetRequest,
  { status, headers, body }: { status: number; headers: Fixture['response']['headers']; body: Buffer },
  redactor: Redactor,
): Promise<void> {
  if (body.length > MAX_BODY_BYTES)
    throw new TypeError(
      `the answer has ${body.length} bytes; ${MAX_BODY_BYTES} are the most that is recorded`,
    );
  const text = textOf(body);
  const fixture: Fixture = {
    request: {
      method: request.method,
      url: redactor.text(withoutSecrets(request.url)),
      ...(request.body === undefined ? {} : { bodySha256: sha256(request.body) }),
    },
    response: {
      status,
      headers: redactor.json(headers),
      ...(text === undefined
        ? { bodyBase64: redactBytes(body, redactor).toString('base64') }
        : { body: redactor.text(text) }),
    },
  };
  const folder = path.join(pluginDir, FOLDER);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, fileName(request)), `${JSON.stringify(fixture, undefined, 2)}\n`);
}

async function readFixtures(folder: string): Promise<ReadonlyMap<string, NetAnswer>> {
  const names = await readdir(folder).catch(() => []);
  const found = new Map<string, NetAnswer>();
  for (const name of names.slice(0, MAX_FIXTURES)) {
    if (!name.endsWith('.json')) continue;
    const file = path.join('fixtures', 'net', name);
    const fixture = readFixture(await readFile(path.join(folder, name), 'utf8'), file);
    const { method, url, bodySha256 = '' } = fixture.request;
    const { status, headers, body, bodyBase64 } = fixture.response;
    found.set(`${method} ${withoutSecrets(url)} ${bodySha256}`, {
      status,
      headers,
      body: bodyBase64 === undefined ? (body ?? '') : Buffer.from(bodyBase64, 'base64'),
    });
  }
  return found;
}

/** @throws TypeError for a file that is no fixture: a test must not pass because of one that is left out. */
function readFixture(text: string, file: string): Fixture {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new TypeError(`${file} is no JSON; record it anew with glovebox test --record`);
  }
  const { request, response } = isRecord(value) ? value : {};
  const fits =
    isRecord(request) &&
    typeof request.method === 'string' &&
    typeof request.url === 'string' &&
    isRecord(response) &&
    Number.isInteger(response.status) &&
    isRecord(response.headers);
  if (!fits)
    throw new TypeError(
      `${file} is no recorded answer: it needs request.method, request.url, response.status and response.headers`,
    );
  return value as Fixture; // looked at above; the rest is optional text
}

const keyOf = (request: NetRequest): string =>
  `${request.method} ${withoutSecrets(request.url)} ${request.body === undefined ? '' : sha256(request.body)}`;

function withoutSecrets(text: string): string {
  const url = new URL(text);
  const names = [...url.searchParams.keys()].filter((name) => SECRET_PARAMETER.test(name));
  // Deleting nothing would still write the query in another form.
  if (names.length === 0) return text;
  for (const name of names) url.searchParams.delete(name);
  return url.href;
}

function fileName(request: NetRequest): string {
  const { hostname, pathname } = new URL(request.url);
  const readable = `${request.method}-${hostname}${pathname}`.replace(/[^A-Za-z0-9.]+/g, '-').slice(0, 80);
  return `${readable.replace(/-$/, '')}-${sha256(keyOf(request)).slice(0, 8)}.json`;
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function redactBytes(bytes: Uint8Array, redactor: Redactor): Buffer {
  const stream = redactor.stream();
  return Buffer.concat([stream.push(bytes), stream.end()]);
}

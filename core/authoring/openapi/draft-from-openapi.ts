import path from 'node:path';
import { parseNetRule } from '../../permissions/net/pattern.ts';
import { isRecord } from '../../schema/pointer.ts';
import type { PluginDraft, TestDraft } from '../scaffold/draft.ts';
import { toTitle } from '../scaffold/plugin-name.ts';
import { code, quote, testFile } from '../scaffold/test-text.ts';
import { OpenApiDocument, OpenApiError, type Operation } from './document.ts';
import { findOperation } from './find-operation.ts';
import { httpHelper } from './http-helper.ts';
import { type Inputs, oneParagraph, readInputs } from './inputs.ts';
import { requestCode } from './request-code.ts';
import { readSecurity, type Security } from './security.ts';
import { readServer } from './server.ts';
import { unmarked, untyped } from './typed-text.ts';

export interface OpenApiRequest {
  /** Absolute; OpenAPI 3.0 or 3.1, JSON or YAML. */
  readonly file: string;
  /** `operationId` or `METHOD /path`; may be left out where there is but one. */
  readonly operation: string | undefined;
  /** The plugin's. */
  readonly name: string;
  readonly isJavaScript: boolean;
  /** In place of the document's. */
  readonly server?: string;
}

export type OpenApiDraft =
  | { readonly ok: true; readonly draft: PluginDraft }
  | { readonly ok: false; readonly message: string };

const MAX_DESCRIPTION_CHARS = 700;
const TIMEOUT_MS = 15_000;
const REFUSED_METHODS = new Set(['TRACE']);

/** A plugin that makes one request of an API, with the permission for it and for nothing else. */
export async function draftFromOpenApi(request: OpenApiRequest): Promise<OpenApiDraft> {
  try {
    const document = await OpenApiDocument.read(request.file);
    return { ok: true, draft: makeDraft(document, request) };
  } catch (error) {
    // YAML can hold a list that holds itself.
    const isEndless = error instanceof RangeError;
    if (!(error instanceof OpenApiError || isEndless)) throw error;
    const message = isEndless ? 'it is nested too deeply, or holds itself' : error.message;
    return { ok: false, message: `${path.relative(process.cwd(), request.file)}: ${message}` };
  }
}

function makeDraft(document: OpenApiDocument, request: OpenApiRequest): PluginDraft {
  const { name, isJavaScript } = request;
  const operation = findOperation(document, request.operation);
  if (REFUSED_METHODS.has(operation.method))
    throw new OpenApiError(`no plugin may use the method ${operation.method}`);
  const server = readServer(document, operation, request.server);
  const { inputs, notes, ...rest } = withoutCookies(readInputs(document, operation));
  const security = readSecurity(document, operation, server);
  const parts = {
    ...{ name, operation, server, isJavaScript },
    inputs: { inputs, notes, ...rest },
    queryKeys: security.queryKeys,
    meanings: readMeanings(document, operation),
  };
  const [helperFile, helperText] = httpHelper(isJavaScript);
  return {
    manifest: manifestOf(document, operation, server, inputs, security, name),
    files: new Map([
      [isJavaScript ? 'index.js' : 'index.ts', requestCode(parts)],
      [helperFile, helperText],
    ]),
    test: requestTest(operation, server, security, isJavaScript),
    notes: [...notes, ...security.notes],
  };
}

/** The host lets no plugin set cookies. */
function withoutCookies(read: Inputs): Inputs {
  const cookies = read.inputs.filter(({ place }) => place === 'cookie');
  const needed = cookies.find(({ isRequired }) => isRequired);
  if (needed !== undefined)
    throw new OpenApiError(`it needs the cookie "${needed.wireName}", which a tool can't send`);
  return {
    ...read,
    inputs: read.inputs.filter(({ place }) => place !== 'cookie'),
    notes: [...read.notes, ...cookies.map(({ wireName }) => `Its cookie "${wireName}" is left out.`)],
  };
}

function manifestOf(
  document: OpenApiDocument,
  operation: Operation,
  server: string,
  inputs: Inputs['inputs'],
  security: Security,
  name: string,
): Record<string, unknown> {
  const { method } = operation;
  const env = Object.values(security.queryKeys);
  return {
    title: toTitle(name.split('.').at(-1) ?? name),
    description: describe(document, operation),
    parameters: parametersOf(inputs),
    annotations: {
      readOnly: method === 'GET' || method === 'HEAD' || method === 'OPTIONS',
      destructive: method === 'DELETE',
      idempotent: method !== 'POST' && method !== 'PATCH',
      openWorld: true,
    },
    permissions: {
      net: [netRule(operation, server)],
      ...(Object.keys(security.secrets).length === 0 ? {} : { secrets: security.secrets }),
      ...(env.length === 0 ? {} : { env }),
    },
    limits: { timeoutMs: TIMEOUT_MS },
  };
}

function parametersOf(inputs: Inputs['inputs']): Record<string, unknown> {
  const definitions: Record<string, unknown> = {};
  const properties = inputs.map(({ argument, schema }) => {
    const { $defs, ...own } = schema;
    if (isRecord($defs)) Object.assign(definitions, $defs);
    return [argument, own] as const;
  });
  const required = inputs.filter(({ isRequired }) => isRequired).map(({ argument }) => argument);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions }),
  };
}

function describe(document: OpenApiDocument, { method, path: route, operation }: Operation): string {
  const { title } = isRecord(document.root.info) ? document.root.info : {};
  const said = [operation.summary, operation.description]
    .filter((text): text is string => typeof text === 'string' && text.trim() !== '')
    .map(oneParagraph);
  const [summary = '', more = ''] = said;
  const whole = [
    asSentence(summary),
    more.startsWith(summary) ? asSentence(more.slice(summary.length).trim()) : asSentence(more),
  ]
    .filter((text) => text !== '.' && text !== '')
    .join(' ')
    .slice(0, MAX_DESCRIPTION_CHARS);
  const request = `${method} ${route}${typeof title === 'string' ? ` of ${oneParagraph(title)}` : ''}`;
  return `${whole === '' ? '' : `${whole} `}Use it for what ${request} does; not for anything else of that API.`;
}

function asSentence(text: string): string {
  return text === '' || /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Exactly this request; where its path can't be told as a pattern, everything below the server. */
function netRule({ method, path: route }: Operation, server: string): string {
  const exact = `${method} ${server}${route
    .replace(/\{[^}]*\}/g, '*')
    .replace(/[:(){}+?\\]/g, '*')
    .replace(/\*+/g, '*')}`;
  const sample = URL.parse(`${server}${route.replace(/\{[^}]*\}/g, 'x')}?a=b`);
  const parsed = parseNetRule(exact);
  const isRight = parsed.ok && sample !== null && parsed.rule.matches(method, sample);
  return isRight ? exact : `${method} ${server}/*`;
}

function readMeanings(document: OpenApiDocument, { operation }: Operation): Record<string, string> {
  const responses = isRecord(operation.responses) ? operation.responses : {};
  const entries = Object.entries(responses).flatMap(([status, response]) => {
    const { description } = document.resolve(response);
    const isError = /^([45](\d\d|XX)|default)$/.test(status);
    return isError && typeof description === 'string' && description.trim() !== ''
      ? [[status, oneParagraph(description).replace(/\.$/, '').slice(0, 200)] as const]
      : [];
  });
  return Object.fromEntries(entries);
}

function requestTest(
  { method }: Operation,
  server: string,
  { queryKeys }: Security,
  isJavaScript: boolean,
): TestDraft {
  const env = Object.fromEntries(Object.values(queryKeys).map((name) => [name, 'fake']));
  const withEnv = Object.keys(env).length === 0 ? '' : `env: ${code(env)}, `;
  return {
    file: testFile(isJavaScript),
    text: (example) =>
      untyped(
        `import { openPlugin } from 'glovebox/test';
import { expect, it } from 'vitest';

const ARGUMENTS = ${unmarked(code(example.arguments))};

it('asks the server', async () => {
  const requests« : string[]» = [];
  await using tool = await openPlugin(import.meta.dirname, {
    ${withEnv}net: (request) => {
      requests.push(\`\${request.method} \${request.url}\`);
      return { json: { fine: true } };
    },
  });
  expect(await tool.call(ARGUMENTS)).toMatchObject({ ok: true });
  expect(requests).toEqual([expect.stringContaining(${quote(`${method} ${server}`)})]);
});

it('passes on what the server says of an error', async () => {
  await using tool = await openPlugin(import.meta.dirname, {
    ${withEnv}net: () => ({ status: 404, json: { message: 'no such thing' } }),
  });
  const result = await tool.call(ARGUMENTS);
  expect(result.ok).toBe(false);
  expect(result.content).toContain('404');
  expect(result.content).toContain('no such thing');
});
`,
        isJavaScript,
      ),
  };
}

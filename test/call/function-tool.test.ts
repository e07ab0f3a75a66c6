import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { createFunctionTool } from '../../core/call/function-tool.ts';
import type { Tool } from '../../core/catalog/tool.ts';
import { DEFAULT_LIMITS } from '../../core/config/limits.ts';
import type { JsonSchema } from '../../core/plugin/manifest.ts';
import { bench, failed, succeeded } from './support.ts';

const about = { name: 'f', description: 'A function.' };
const anything = { type: 'object' } as const;

const call = (tool: Tool, args: unknown = {}, signal?: AbortSignal) =>
  bench([tool]).call({ arguments: args, ...(signal === undefined ? {} : { signal }) });

describe('a function with a zod schema', () => {
  const parameters = z.object({
    city: z.string(),
    days: z.number().int().default(3),
    when: z
      .string()
      .transform((text) => text.length)
      .optional(),
  });

  test('gets typed arguments, defaults and transforms applied', async () => {
    const tool = createFunctionTool({ ...about, parameters }, (args) => {
      expectTypeOf(args).toEqualTypeOf<{ city: string; days: number; when?: number | undefined }>();
      return args;
    });
    expect(succeeded(await call(tool, '{"city": "Bern", "when": "soon"}')).value).toEqual({
      city: 'Bern',
      days: 3,
      when: 4,
    });
  });

  test('has its JSON Schema derived from it', () => {
    const tool = createFunctionTool({ ...about, parameters, returns: z.object({ ok: z.boolean() }) }, () => ({
      ok: true,
    }));
    expect(tool.manifest.parameters).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string' }, days: { default: 3 } },
      required: ['city'],
    });
    expect(tool.manifest.returns).toMatchObject({ properties: { ok: { type: 'boolean' } } });
  });

  test('has its refinements checked before it runs', async () => {
    let ran = 0;
    const range = z
      .object({ from: z.number(), to: z.number() })
      .refine(({ from, to }) => from <= to, { path: ['to'], message: 'must not be before from' });
    const tool = createFunctionTool({ ...about, parameters: range }, () => {
      ran += 1;
    });
    const { error, content } = failed(await call(tool, { from: 2, to: 1 }));
    expect(error).toMatchObject({ code: 'invalid_arguments', issues: [{ path: 'to' }] });
    expect(content).toContain('to: must not be before from');
    expect(ran).toBe(0);
  });

  test('gets repaired arguments', async () => {
    const tool = createFunctionTool({ ...about, parameters: z.object({ n: z.number() }) }, ({ n }) => n + 1);
    expect(succeeded(await call(tool, { n: '41' })).value).toBe(42);
  });
});

describe('a function with a JSON Schema', () => {
  test('gets arguments of the types that the schema says', async () => {
    const tool = createFunctionTool(
      {
        ...about,
        parameters: {
          type: 'object',
          properties: { unit: { enum: ['C', 'F'] }, n: { type: 'integer' } },
          required: ['unit'],
          additionalProperties: false,
        },
      },
      (args) => {
        expectTypeOf(args.unit).toEqualTypeOf<'C' | 'F'>();
        expectTypeOf(args.n).toEqualTypeOf<number | undefined>();
        return args.unit;
      },
    );
    expect(succeeded(await call(tool, { unit: 'C' })).value).toBe('C');
    failed(await call(tool, { unit: 'K' }));
  });

  test('that is only known as such gets a plain record', () => {
    const schema: JsonSchema = anything;
    createFunctionTool({ ...about, parameters: schema }, (args) => {
      expectTypeOf(args).toEqualTypeOf<Readonly<Record<string, unknown>>>();
    });
  });

  test('gets every digit of an integer that no double holds', async () => {
    const tool = createFunctionTool(
      { ...about, parameters: anything },
      (args) => `${(args as { id: unknown }).id}`,
    );
    expect(succeeded(await call(tool, '{"id": 12345678901234567890}')).value).toBe('12345678901234567890');
  });
});

test.each([
  ['a list', { type: 'array' }],
  ['a zod text', z.string()],
  ['a zod date', z.object({ at: z.date() })],
  ['a text', 'object'],
  ['nothing', null],
  [
    'a Standard Schema that can not be shown',
    { '~standard': { version: 1, vendor: 'other', validate: () => ({ value: 1 }) } },
  ],
])('%s for parameters is refused at once, naming the tool', (_title, parameters) => {
  expect(() => createFunctionTool({ ...about, parameters: parameters as never }, () => 1)).toThrow(
    /^Tool "f"/,
  ); // a caller without types
});

test('a Standard Schema without a converter works with its JSON Schema beside it', async () => {
  const parameters = {
    '~standard': { version: 1, vendor: 'other', validate: (value: unknown) => ({ value: { got: value } }) },
  } as const;
  const tool = createFunctionTool({ ...about, parameters, jsonSchema: anything }, (args) => args);
  expect(succeeded(await call(tool, { a: 1 })).value).toEqual({ got: { a: 1 } });
});

describe('what a function returns', () => {
  test.each<[string, unknown, unknown]>([
    ['undefined', undefined, undefined],
    ['a BigInt', { n: 10n ** 20n }, { n: '100000000000000000000' }],
    ['a Map', { m: new Map([['a', new Set([1])]]) }, { m: { a: [1] } }],
    ['a Map with other keys', new Map([[1, 'x']]), [[1, 'x']]],
    ['a Date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    [
      'bytes',
      [new Uint8Array([1, 2]), Buffer.from([1, 2]), new Uint8Array([1, 2]).buffer],
      ['AQI=', 'AQI=', 'AQI='],
    ],
    ['NaN', [Number.NaN, Number.POSITIVE_INFINITY], ['NaN', 'Infinity']],
    ['an Error', { e: new TypeError('x') }, { e: { name: 'TypeError', message: 'x' } }],
  ])('%s has a defined form', async (_title, returned, value) => {
    const result = succeeded(
      await call(createFunctionTool({ ...about, parameters: anything }, () => returned)),
    );
    expect(result.value).toEqual(value);
  });

  test('a cycle, a function or a getter that throws is an error with its path', async () => {
    const cyclic = { a: [{}] as unknown[] };
    cyclic.a[0] = cyclic;
    const trap = {
      get x(): never {
        throw new Error('no');
      },
    };
    for (const returned of [cyclic, () => 1, Symbol('x'), trap]) {
      const { error } = failed(
        await call(createFunctionTool({ ...about, parameters: anything }, () => returned)),
      );
      expect(error.code).toBe('invalid_result');
    }
    expect(
      failed(await call(createFunctionTool({ ...about, parameters: anything }, () => cyclic))).content,
    ).toContain('a[0]');
  });

  test('is held to the size limit', async () => {
    const tool = createFunctionTool({ ...about, parameters: anything, limits: { resultBytes: 100 } }, () =>
      'é'.repeat(60),
    );
    expect(failed(await call(tool)).error.code).toBe('output_limit');
  });
});

describe('what a function throws', () => {
  test.each<[string, unknown, string, string]>([
    ['an Error', new Error('boom'), 'tool_error', 'boom'],
    ['a text', 'just text', 'tool_error', 'just text'],
    ['null', null, 'tool_error', '"f" failed and gave no reason.'],
    ['undefined', undefined, 'tool_error', '"f" failed and gave no reason.'],
    ['an error without a message', new Error(), 'tool_error', '"f" failed and gave no reason.'],
    ['an HTTP status', Object.assign(new Error('boom'), { status: 404 }), 'not_found', 'boom'],
    [
      'an HTTP status beside a code of the client',
      Object.assign(new Error('boom'), { code: 'ERR_BAD_REQUEST', response: { status: 403 } }),
      'tool_error',
      'refused access',
    ],
    [
      'a status that is none',
      Object.assign(new Error('boom'), { status: 'open' }),
      'tool_error',
      '"f" failed: boom',
    ],
    [
      'a subclass',
      new (class MissingThing extends Error {
        override name = 'NotFoundError';
      })('thing 5'),
      'not_found',
      'thing 5',
    ],
    [
      'a cause',
      new Error('outer', { cause: Object.assign(new Error('inner'), { code: 'ENOENT' }) }),
      'not_found',
      'outer (inner)',
    ],
    [
      'an AggregateError',
      new AggregateError([new Error('one'), new Error('two')], 'all failed'),
      'tool_error',
      'one; two',
    ],
    ['an object', { message: 'odd' }, 'tool_error', 'odd'],
    [
      'a trap',
      Object.defineProperty({}, 'message', {
        get: () => {
          throw new Error('x');
        },
      }),
      'tool_error',
      '"f" failed',
    ],
  ])('%s becomes an error that a model can read', async (_title, thrown, code, words) => {
    for (const run of [
      () => {
        throw thrown;
      },
      async () => {
        throw thrown;
      },
    ]) {
      const { error, content } = failed(
        await call(createFunctionTool({ ...about, parameters: anything }, run)),
      );
      expect(error).toMatchObject({ code, outcome: 'failed' });
      expect(content).toContain(words);
      expect(content).not.toMatch(/function-tool\.test|node_modules/);
    }
  });
});

describe('the deadline', () => {
  test('ends a function that never settles, and aborts its signal', async () => {
    const reasons: unknown[] = [];
    const tool = createFunctionTool(
      { ...about, parameters: anything, limits: { timeoutMs: 10 } },
      (_args, { signal }) => {
        signal.addEventListener('abort', () => reasons.push(signal.reason));
        return new Promise(() => {});
      },
    );
    expect(failed(await call(tool)).error).toMatchObject({ code: 'timeout', outcome: 'unknown' });
    expect(reasons).toMatchObject([{ name: 'TimeoutError' }]);
  });

  test('wins over a rejection that comes with the abort, which nobody else hears', async () => {
    const unhandled: unknown[] = [];
    const listen = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', listen);
    try {
      const tool = createFunctionTool(
        { ...about, parameters: anything, limits: { timeoutMs: 10 } },
        (_args, { signal }) =>
          new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => setImmediate(() => reject(new Error('late')))),
          ),
      );
      expect(failed(await call(tool)).error.code).toBe('timeout');
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(unhandled).toEqual([]);
    } finally {
      process.off('unhandledRejection', listen);
    }
  });
});

test("the caller's abort ends the call and reaches the function", async () => {
  const controller = new AbortController();
  let aborted = false;
  const tool = createFunctionTool({ ...about, parameters: anything }, (_args, { signal }) => {
    signal.addEventListener('abort', () => (aborted = true));
    controller.abort();
    return new Promise(() => {});
  });
  expect(failed(await call(tool, {}, controller.signal)).error).toMatchObject({
    code: 'cancelled',
    outcome: 'unknown',
  });
  expect(aborted).toBe(true);
});

test('a function may log, report progress and call other tools; a denial there is known as one', async () => {
  const heard: unknown[] = [];
  const tool = createFunctionTool({ ...about, parameters: anything }, async (_args, context) => {
    context.log('info', 'hello');
    context.progress({ done: 1 });
    const answer = await context.tools.call('other', { a: 1 });
    await context.tools.call('forbidden');
    return answer;
  });
  const { call: callTool } = bench([tool], {
    log: (_tool, _call, level, text) => void heard.push([level, text]),
    authorise: () => ({
      kind: 'granted',
      env: {},
      hostError: (number) =>
        number === 2
          ? {
              name: 'NotAllowedError',
              code: 'permission_denied',
              message: 'tools: "forbidden" is not granted',
            }
          : undefined,
      broker: async ({ number, params }) => {
        heard.push(JSON.parse(params));
        if (number === 2)
          return { ok: false, error: { name: 'NotAllowedError', code: 'permission_denied', message: 'no' } };
        return { ok: true, json: '{"ok":true,"content":"x"}' };
      },
    }),
  });
  const result = failed(await callTool({ arguments: {}, onProgress: (value) => heard.push(value) }));
  expect(heard).toEqual([
    ['info', 'hello'],
    { done: 1 },
    { name: 'other', arguments: { a: 1 } },
    { name: 'forbidden', arguments: {} },
  ]);
  expect(result.error).toMatchObject({
    code: 'permission_denied',
    message: expect.stringContaining('"forbidden" is not granted'),
  });
  expect(result.usage.hostCalls).toBe(2);
});

test('versions differ with the definition and with the code, and only then', () => {
  const make = (description: string, run: () => unknown): string =>
    createFunctionTool({ ...about, description, parameters: anything }, run, DEFAULT_LIMITS).version;
  const one = (): number => 1;
  expect(make('a', one)).toBe(make('a', one));
  expect(make('a', one)).not.toBe(make('b', one));
  expect(make('a', one)).not.toBe(make('a', () => 2));
});

describe('a definition that is none', () => {
  const right = { name: 'f', description: 'Does.', parameters: { type: 'object', properties: {} } };
  const run = () => 1;

  test.each<[string, unknown, unknown, RegExp]>([
    ['no object', null, run, /defined by an object/],
    ['no name', { ...right, name: undefined }, run, /needs a "name"/],
    ['an empty name', { ...right, name: ' ' }, run, /needs a "name"/],
    ['no description', { ...right, description: undefined }, run, /"description" must be a text/],
    ['no function', right, undefined, /must be a function/],
    ['a mistyped key', { ...right, tagz: [] }, run, /no "tagz"; did you mean "tags"/],
  ])('with %s is refused when it is registered', (_title, definition, given, message) => {
    type Create = (definition: unknown, run: unknown) => unknown; // what plain JavaScript may hand in
    expect(() => (createFunctionTool as Create)(definition, given)).toThrow(message);
  });
});

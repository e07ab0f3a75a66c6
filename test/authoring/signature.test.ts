import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { deriveSignature } from '../../core/authoring/signature/derive.ts';
import type { Signature } from '../../core/authoring/signature/signature.ts';
import { type Files, temporaryDirectory, writeFiles } from '../plugin/temporary-plugin.ts';

async function read(files: Files, file = 'index.ts', exportName?: string) {
  await using root = await temporaryDirectory();
  await writeFiles(root.dir, files);
  return await deriveSignature({
    file: path.join(root.dir, file),
    ...(exportName === undefined ? {} : { exportName }),
  });
}

async function signatureOf(files: Files | string, file?: string, exportName?: string): Promise<Signature> {
  const answer = await read(typeof files === 'string' ? { 'index.ts': files } : files, file, exportName);
  if (!answer.ok) throw new Error(JSON.stringify(answer.problem));
  return answer.signature;
}

async function problemOf(text: string) {
  const answer = await read({ 'index.ts': text });
  if (answer.ok) throw new Error(JSON.stringify(answer.signature));
  return answer.problem;
}

describe('a signature as a schema', () => {
  it('tells names, types, unions, ranges, defaults and descriptions of a documented function', async () => {
    const signature = await signatureOf(`
      const DAYS = 3;
      /**
       * Forecasts the weather. Use it for days to come.
       * @title Weather
       * @param args.city The city, in English
       * @param args.days How far ahead
       * @param args.hour At which hour
       * @maximum args.hour 23
       * @integer args.hour
       * @minimum args.hour 0
       * @returns The forecast
       * @readOnly
       * @example {"city": "Paris"}
       */
      export default async function weather({ city, units = 'metric', days = DAYS, near }: {
        city: string;
        /** What to measure in */
        units?: 'metric' | 'imperial';
        /**
         * @minimum 1
         * @maximum 7
         * @integer
         */
        days?: number;
        hour?: number;
        /** @pattern ^[A-Z]{2}$ */
        country?: string;
        /** @format email */ mail?: string;
        near?: { lat: number; lon: number } | null;
      }): Promise<{ text: string }> { return { text: city }; }
    `);
    expect(signature).toMatchObject({
      name: 'weather',
      title: 'Weather',
      style: 'object',
      description: 'Forecasts the weather. Use it for days to come.',
      returns: { description: 'The forecast', type: 'object', required: ['text'] },
      annotations: { readOnly: true },
      examples: [{ arguments: { city: 'Paris' } }],
      warnings: [],
    });
    expect(signature.parameters).toEqual({
      type: 'object',
      properties: {
        city: { type: 'string', description: 'The city, in English' },
        units: {
          type: 'string',
          enum: ['metric', 'imperial'],
          default: 'metric',
          description: 'What to measure in',
        },
        days: { type: 'integer', minimum: 1, maximum: 7, default: 3, description: 'How far ahead' },
        hour: { type: 'integer', minimum: 0, maximum: 23, description: 'At which hour' },
        country: { type: 'string', pattern: '^[A-Z]{2}$' },
        mail: { type: 'string', format: 'email' },
        near: {
          anyOf: [
            {
              type: 'object',
              properties: { lat: { type: 'number' }, lon: { type: 'number' } },
              required: ['lat', 'lon'],
              additionalProperties: false,
            },
            { type: 'null' },
          ],
        },
      },
      required: ['city'],
      additionalProperties: false,
    });
  });

  it('reads interfaces, enums, generics and recursive types of sibling files', async () => {
    const { parameters } = await signatureOf({
      'index.ts': `
        import { Level, type Node, type Paged } from './types.ts';
        import type * as all from './deep/more.ts';
        export default (args: Paged<Node> & { level: Level; more?: all.More; rest?: import('./types.ts').Paged<string> }) => args;`,
      'types.ts': `
        export enum Level { Low = 'low', High = 'high' }
        /** One of a tree */
        export interface Node { name: string; children?: Node[] }
        export interface Paged<T> { items: T[]; page?: number }`,
      'deep/more.ts': `export type More = Partial<Record<'a' | 'b', number>>;`,
    }).catch((error: Error) => ({ parameters: error.message }));
    expect(parameters).toMatchObject({
      properties: {
        items: { type: 'array', items: { $ref: '#/$defs/Node' } },
        level: { type: 'string', enum: ['low', 'high'] },
        more: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
      },
      required: ['items', 'level'],
      $defs: { Node: { description: 'One of a tree', required: ['name'] } },
    });
  });

  it('reads JSDoc types of JavaScript: nested names, optional ones, defaults, typedefs', async () => {
    const { parameters, warnings } = await signatureOf(
      {
        'index.js': `
          /** @typedef {{name: string, lat?: number}} Place */
          /**
           * Finds it.
           * @param {object} args
           * @param {string} args.city - The city
           * @param {'a'|'b'} [args.kind='a'] Which kind
           * @param {Place[]} [args.places]
           * @param {?number} args.count
           */
          export default async function find({ city, kind = 'a' }) { return city + kind; }`,
      },
      'index.js',
    );
    expect(warnings).toEqual([]);
    expect(parameters).toMatchObject({
      properties: {
        city: { type: 'string', description: 'The city' },
        kind: { enum: ['a', 'b'], default: 'a', description: 'Which kind' },
        places: { type: 'array', items: { properties: { name: { type: 'string' } }, required: ['name'] } },
        count: { type: ['number', 'null'] },
      },
      required: ['city', 'count'],
    });
  });

  it('reads arguments that come one after the other, with tags behind their descriptions', async () => {
    const signature = await signatureOf(
      `/** Adds. @param a first @minimum 1
        * @param b second
        */
       export function add(a: number, b = 2, { round = false }: { round?: boolean } = {}, ...more: number[]): number { return a + b; }`,
    );
    expect(signature).toMatchObject({
      name: 'add',
      style: 'positional',
      isDefaultExport: false,
      parameters: {
        properties: {
          a: { type: 'number', minimum: 1, description: 'first' },
          b: { type: 'number', default: 2, description: 'second' },
          more: { type: 'array', items: { type: 'number' } },
        },
        required: ['a'],
      },
    });
  });

  it.each([
    ['an arrow', 'export default ({ a }: { a: string }) => a;'],
    ['a constant', 'const run = async (args: { a: string }) => args.a;\nexport default run;'],
    ['a renamed export', 'function run(args: { a: string }) { return args.a; }\nexport { run as default };'],
    [
      'satisfies',
      'export default (async (args: { a: string }) => args.a) satisfies (args: { a: string }) => unknown;',
    ],
    [
      'a type of the variable',
      'type Run = (args: { a: string }) => unknown;\nconst run: Run = (args) => args.a;\nexport default run;',
    ],
    ['a context', 'export default (args: { a: string }, { signal }: { signal: AbortSignal }) => signal;'],
    [
      'a body that takes it apart',
      'export default (args: { a: string }) => { const { a } = args; return a; };',
    ],
  ])('finds the function in %s', async (_what, text) => {
    const { parameters, style } = await signatureOf(text);
    expect({ parameters, style }).toMatchObject({
      style: 'object',
      parameters: { properties: { a: { type: 'string' } }, required: ['a'] },
    });
  });

  it('takes a default out of the body, and makes what has one optional', async () => {
    const { parameters } = await signatureOf(
      'export default function (args: { a: string; b: { c?: number } }) { const { a = "x", b: { c = 1 } = {} } = args; return [a, c]; }',
    );
    expect(parameters).toMatchObject({
      properties: { a: { default: 'x' }, b: { default: {}, properties: { c: { default: 1 } } } },
    });
    expect(parameters.required).toBeUndefined();
  });

  it.each([
    ['a type that is not there', 'export default (args: {\n  a: Nowhere;\n}) => 1;', 2, /Nowhere/],
    [
      'a module that is not there',
      "\nimport type { A } from './a.ts';\nexport default (args: A) => 1;",
      2,
      /a\.ts/,
    ],
    [
      'a function as an argument',
      'export default (args: {\n  run(): void;\n  f: () => void }) => 1;',
      undefined,
      /function/,
    ],
    [
      'what zod infers',
      "import { z } from 'zod';\nconst s = z.object({ a: z.string() });\nexport default (args: z.infer<typeof s>) => 1;",
      3,
      /export `parameters`/,
    ],
    ['a Set', 'export default (args: {\n  all: Set<string> }) => 1;', 2, /Set<string>.*array/],
    ['a syntax error', 'export default (args: {\n  a: }) => 1;', 2, /./],
    ['no function', 'export default 3;', 1, /no function/],
    ['nothing', '\nconst a = 1;', undefined, /exports no function/],
  ])('says where and why it can not tell %s', async (_what, text, line, reason) => {
    const problem = await problemOf(text);
    expect(problem.message).toMatch(reason);
    if (line !== undefined) expect(problem.line).toBe(line);
  });

  it('names the functions to choose from, and takes the one that is named', async () => {
    const text = 'export const one = (a: string) => a;\nexport const two = (b: number) => b;';
    expect((await problemOf(text)).message).toMatch(/one, two/);
    expect((await signatureOf({ 'index.ts': text }, 'index.ts', 'two')).parameters).toMatchObject({
      properties: { b: { type: 'number' } },
    });
  });

  it('warns of what has no type instead of making one up', async () => {
    const { parameters, warnings } = await signatureOf(
      { 'index.js': 'export default ({ a, b = 1 }) => a + b;' },
      'index.js',
    );
    expect(parameters).toMatchObject({ properties: { a: {}, b: { default: 1 } }, required: ['a'] });
    expect(warnings.join()).toMatch(/"a" has no type/);
  });
});

describe('types that are a trap', () => {
  const BOMBS: readonly [string, string][] = [
    [
      'grow without end',
      'type Grow<T> = { a: Grow<[T, T]>; b: Grow<{ x: T }> };\nexport default (args: Grow<string>) => 1;',
    ],
    [
      'multiply',
      `type L = 'a'|'b'|'c'|'d'|'e'|'f'|'g'|'h'|'i'|'j';\nexport default (args: { a: \`${`$\{L}`.repeat(8)}\` }) => 1;`,
    ],
  ];

  it.each(BOMBS)(
    'are ended when they %s, and the event loop goes on',
    async (_what, text) => {
      await using root = await temporaryDirectory();
      await writeFiles(root.dir, { 'index.ts': text });
      let ticks = 0;
      const timer = setInterval(() => {
        ticks += 1;
      }, 10);
      const before = process.memoryUsage().rss;
      const request = { file: path.join(root.dir, 'index.ts'), confineTo: root.dir };
      const answer = await deriveSignature(request, { heapMb: 128, cpuSeconds: 6 });
      clearInterval(timer);
      expect(answer).toMatchObject({
        ok: false,
        problem: { line: 1, message: expect.stringMatching(/took more than .*schema\.json/) },
      });
      expect(ticks).toBeGreaterThan(5);
      expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
    },
    90_000,
  );

  it('end for nobody else, although one process reads several', async () => {
    await using root = await temporaryDirectory();
    const good = (n: number) => `/** Does ${n}. */\nexport default (args: { a${n}: string }) => 1;`;
    const [[, bomb]] = BOMBS as [[string, string]];
    const texts = [...Array.from({ length: 6 }, (_, n) => good(n)), bomb, good(7), good(8)];
    await writeFiles(root.dir, Object.fromEntries(texts.map((text, n) => [`${n}.ts`, text])));
    const answers = await Promise.all(
      texts.map((_, n) => deriveSignature({ file: path.join(root.dir, `${n}.ts`) })),
    );
    expect(answers.map(({ ok }) => ok)).toEqual(texts.map((text) => text !== bomb));
    expect(answers[6]).toMatchObject({ problem: { message: expect.stringMatching(/took more than/) } });
    expect(answers[8]).toMatchObject({ signature: { parameters: { required: ['a8'] } } });
  }, 90_000);

  it('are ended by the clock too', async () => {
    await using root = await temporaryDirectory();
    await writeFiles(root.dir, { 'index.ts': 'export default (args: { a: string }) => 1;' });
    const answer = await deriveSignature({ file: path.join(root.dir, 'index.ts') }, { timeoutMs: 1 });
    expect(answer).toMatchObject({ ok: false });
  });

  it("read no file outside a stranger's directory", async () => {
    await using secret = await temporaryDirectory();
    await using root = await temporaryDirectory();
    await writeFiles(secret.dir, { 'secret.ts': "export type Secret = 'hunter2';" });
    const from = path.relative(root.dir, path.join(secret.dir, 'secret.ts'));
    await writeFiles(root.dir, {
      'index.ts': `import type { Secret } from '${from}';\nexport default (args: { a: Secret }) => 1;`,
    });
    const file = path.join(root.dir, 'index.ts');
    const confined = await deriveSignature({ file, confineTo: root.dir });
    expect(confined).toMatchObject({ ok: false, problem: { line: 1 } });
    expect(JSON.stringify(confined)).not.toContain('hunter2');
    expect(JSON.stringify(await deriveSignature({ file }))).toContain('hunter2');
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHost, type Host } from '../../../core/index.ts';
import { temporaryRoot, writePlugin } from '../../host/temporary-plugins.ts';

/** What a tool gives, as source, and where and why it can't be written. */
const UNWRITABLE: readonly [string, string, string][] = [
  [
    'a cycle',
    '(() => { const a = { b: [] }; a.b.push(a); return a; })()',
    'at b[0]: it refers back to itself',
  ],
  [
    'a cycle by way of a Map',
    '(() => { const m = new Map(); m.set("own", { m }); return { m }; })()',
    'at m.own.m: ',
  ],
  ['a cycle by way of a Set', '(() => { const s = new Set(); s.add([s]); return { s }; })()', 'at s[0][0]: '],
  [
    'a getter that throws',
    '({ list: [{ get x() { throw new Error("no"); } }] })',
    'at list[0].x: reading it failed',
  ],
  ['a toJSON that throws', '({ a: { toJSON() { throw new Error("no"); } } })', 'at a: reading it failed'],
  ['a promise inside', '({ rows: [Promise.resolve(1)] })', 'at rows[0]: a promise that was not awaited'],
  ['a response inside', '({ got: new Response("text") })', 'at got: a Response has no form in JSON'],
  ['headers', 'new Headers({ a: "b" })', 'a Headers has no form in JSON'],
  ['a generator', '(function* () { yield 1; })()', 'a Generator has no form in JSON'],
  ['a boxed BigInt', '({ n: [Object(1n)] })', 'at n[0]: a BigInt has no form in JSON'],
];

const WRITABLE: readonly [string, string, string][] = [
  ['what is held twice', '(() => { const s = { x: 1 }; return [s, s]; })()', '[{"x":1},{"x":1}]'],
  ['an instance without fields', 'new (class Empty {})()', '{}'],
  ['a Map in a Map', 'new Map([["a", new Map([[1, 2]])]])', '{"a":[[1,2]]}'],
  [
    'an instance of a tagged class with fields',
    'new (class { [Symbol.toStringTag] = "Row"; x = 1; })()',
    '{"x":1}',
  ],
  ['bytes in a list', '[new Uint8Array([1, 2, 3])]', '["AQID"]'],
];

const ALL = [...UNWRITABLE, ...WRITABLE];

describe.each(['behind the wall', 'in this process'])('a result %s', (where) => {
  let host: Host;
  let root: Awaited<ReturnType<typeof temporaryRoot>>;
  const names = new Map(ALL.map(([title], index) => [title, `t${index}`]));

  beforeAll(async () => {
    root = await temporaryRoot();
    const isPlugin = where === 'behind the wall';
    for (const [title, source] of isPlugin ? ALL : [])
      await writePlugin(root.dir, names.get(title) ?? '', `export default async () => ({ v: ${source} }.v);`);
    host = await createHost({ config: { plugins: [root.dir], result: { format: 'compact' } }, watch: false });
    for (const [title, source] of isPlugin ? [] : ALL) {
      const run = new Function(`return { v: ${source} }.v;`) as () => unknown; // the same source on both sides
      const name = names.get(title) ?? '';
      host.tool({ name, description: 'Gives.', parameters: { type: 'object', properties: {} } }, run);
    }
  });
  afterAll(async () => {
    await host.close();
    await root[Symbol.asyncDispose]();
  });

  const call = (title: string) => host.call({ name: names.get(title) ?? '', arguments: {} });

  test.each(UNWRITABLE)('that holds %s is an error that names the place', async (title, _source, words) => {
    const result = await call(title);
    expect(result).toMatchObject({ ok: false, error: { code: 'invalid_result' } });
    expect(result.content).toContain(words);
  });

  test.each(WRITABLE)('that holds %s is written', async (title, _source, content) => {
    expect(await call(title)).toMatchObject({ ok: true, content });
  });
});

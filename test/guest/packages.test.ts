import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../core/config/limits.ts';
import { bundlePlugin } from '../../core/plugin/bundle.ts';
import type { Sandbox } from '../../core/sandbox/sandbox.ts';
import { echo, openSandbox } from '../sandbox/programs.ts';

let sandbox: Sandbox;
let dir: string;
beforeAll(async () => {
  sandbox = await openSandbox({ workers: 1 });
  // Inside the checkout, so that packages are found in its node_modules.
  dir = await mkdtemp(path.join(import.meta.dirname, 'packages-'));
});
afterAll(async () => {
  await sandbox.close();
  await rm(dir, { recursive: true, force: true });
});

const USES: readonly (readonly [name: string, imports: string, body: string, expected: unknown])[] = [
  [
    'lodash-es',
    `import { chunk, cloneDeep, debounce, groupBy, merge, template } from 'lodash-es';`,
    `return [chunk([1, 2, 3], 2), groupBy(['a', 'bb', 'cc'], 'length'), merge({ a: { b: 1 } }, { a: { c: 2 } }), cloneDeep(new Map([[1, { x: 1 }]])).get(1), await new Promise((done) => debounce(done, 5)('late'))];`,
    [[[1, 2], [3]], { 1: ['a'], 2: ['bb', 'cc'] }, { a: { b: 1, c: 2 } }, { x: 1 }, 'late'],
  ],
  [
    'date-fns',
    `import { addMonths, differenceInDays, format, parseISO } from 'date-fns'; import { de } from 'date-fns/locale';`,
    `return [format(parseISO('2024-02-29T12:00:00'), 'yyyy-MM-dd HH:mm'), format(addMonths(new Date(2024, 0, 31), 1), 'd. MMMM', { locale: de }), differenceInDays(new Date(2024, 1, 1), new Date(2024, 0, 1))];`,
    ['2024-02-29 12:00', '29. Februar', 31],
  ],
  [
    'zod',
    `import { z } from 'zod';`,
    `const schema = z.object({ name: z.string().min(2), email: z.email(), tags: z.array(z.enum(['a', 'b'])).default([]), url: z.url() }); const bad = schema.safeParse({ name: 'x', email: 'nope', url: 'http://x.example' }); return [schema.parse({ name: 'xy', email: 'a@b.example', url: 'https://x.example/' }), bad.error.issues.map((issue) => issue.path.join('.'))];`,
    [{ name: 'xy', email: 'a@b.example', tags: [], url: 'https://x.example/' }, ['name', 'email']],
  ],
  [
    'cheerio',
    `import * as cheerio from 'cheerio';`,
    `const $ = cheerio.load('<ul id="l"><li class="a">Ä &amp; ö</li><li>two</li></ul>'); $('li.a').attr('data-x', '1').after('<li>new</li>'); return [$('li').map((_, li) => $(li).text()).get(), $.html('#l')];`,
    [
      ['Ä & ö', 'new', 'two'],
      '<ul id="l"><li class="a" data-x="1">Ä &amp; ö</li><li>new</li><li>two</li></ul>',
    ],
  ],
  [
    'marked',
    `import { marked } from 'marked';`,
    `return marked.parse('# Hi\\n\\n*a* [b](http://x)\\n\\n| a | b |\\n|---|---|\\n| 1 | 2 |');`,
    expect.stringMatching(/<h1>Hi<\/h1>[\s\S]*<em>a<\/em> <a href="http:\/\/x">b<\/a>[\s\S]*<td>1<\/td>/),
  ],
  [
    'papaparse',
    `import Papa from 'papaparse';`,
    `return [Papa.parse('a,b\\n1,"x, y"\\n', { header: true, dynamicTyping: true, skipEmptyLines: true }).data, Papa.unparse([{ q: 'a"b', r: 2 }])];`,
    [[{ a: 1, b: 'x, y' }], 'q,r\r\n"a""b",2'],
  ],
  [
    'js-yaml',
    `import { dump, load } from 'js-yaml';`,
    `return [load('a: [1, two]\\nb: {c: 2024-01-01}\\nd: |\\n  x\\n  y\\n').a, load('d: |\\n  x\\n  y\\n'), dump({ list: [1, { z: 'q: r' }] })];`,
    [[1, 'two'], { d: 'x\ny\n' }, expect.stringMatching(/list:\n\s*- 1\n\s*- z: ['"]q: r['"]/)],
  ],
  [
    'fflate',
    `import { deflateSync, gunzipSync, gzipSync, inflateSync, strFromU8, strToU8, unzipSync, zipSync } from 'fflate';`,
    `const text = 'hello '.repeat(1000); const zip = unzipSync(zipSync({ 'a/b.txt': strToU8('ä') })); const native = await new Response(new Blob([gzipSync(strToU8(text))]).stream().pipeThrough(new DecompressionStream('gzip'))).text(); return [strFromU8(gunzipSync(gzipSync(strToU8(text)))) === text, strFromU8(inflateSync(deflateSync(strToU8('x')))), Object.keys(zip), strFromU8(zip['a/b.txt']), native === text];`,
    [true, 'x', ['a/b.txt'], 'ä', true],
  ],
  [
    'nanoid',
    `import { customAlphabet, nanoid } from 'nanoid';`,
    `const ids = new Set(Array.from({ length: 200 }, () => nanoid())); return [ids.size, [...ids].every((id) => /^[\\w-]{21}$/.test(id)), /^[abc]{5}$/.test(customAlphabet('abc', 5)())];`,
    [200, true, true],
  ],
  [
    'fast-xml-parser',
    `import { XMLBuilder, XMLParser, XMLValidator } from 'fast-xml-parser';`,
    `const parsed = new XMLParser({ ignoreAttributes: false }).parse('<a x="1"><b>ä &amp; c</b><b>2</b></a>'); return [parsed, new XMLBuilder({ ignoreAttributes: false }).build(parsed), XMLValidator.validate('<a>') === true];`,
    [{ a: { b: ['ä & c', 2], '@_x': '1' } }, '<a x="1"><b>ä &amp; c</b><b>2</b></a>', false],
  ],
];

test.each(USES)('%s bundles and works in the guest', async (name, imports, body, expected) => {
  const entry = `${name}.js`;
  await writeFile(path.join(dir, entry), `${imports}\nexport default async function () { ${body} }\n`);
  const bundle = await bundlePlugin({ dir, entry, packagesAbove: true });
  if (!bundle.ok) throw new Error(JSON.stringify(bundle.problems));
  const outcome = await sandbox.run({
    program: { name, version: name, code: bundle.code, state: 'fresh', isolation: 'shared' },
    argumentsJson: '{}',
    limits: DEFAULT_LIMITS,
    repeatable: false,
    env: {},
    broker: echo,
  });
  if (outcome.kind !== 'value') throw new Error(JSON.stringify(outcome));
  expect(JSON.parse(outcome.json ?? 'null')).toEqual(expected);
});

import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Host } from '../../core/index.ts';
import { MAX_FILE_BYTES } from '../../core/resources/load-resource.ts';
import { openPlace, until } from './place.ts';

const GUIDE = { uri: 'docs://guide', description: 'How to start.', file: 'guide.md' };
const NOTES = { uriTemplate: 'notes://{id}', description: 'Notes by their number.' };
const textOf = async (host: Host, uri: string): Promise<unknown> => {
  const read = await host.resources.read(uri);
  return read.ok ? read.contents.map((piece) => ('text' in piece ? piece.text : piece.blob)) : read.content;
};

describe('a resource with a file', () => {
  it('is listed and read, under the folders that it lies in, and is no tool', async () => {
    await using place = await openPlace({
      'docs/guide/resource.json': { ...GUIDE, title: 'The guide' },
      'docs/guide/guide.md': '# Start\n',
    });
    await using host = await place.open();
    expect(host.resources.list()).toEqual([
      {
        uri: 'docs://guide',
        name: 'docs.guide',
        title: 'The guide',
        description: 'How to start.',
        mimeType: 'text/markdown',
        size: 8,
      },
    ]);
    expect(await host.resources.read('docs://guide')).toMatchObject({
      ok: true,
      contents: [{ uri: 'docs://guide', mimeType: 'text/markdown', text: '# Start\n' }],
    });
    expect(host.catalog.get('docs.guide', 'resource')).toMatchObject({ kind: 'resource', state: 'ready' });
    expect(host.view().names()).not.toContain('docs.guide');
    expect(await host.call({ name: 'resource:docs.guide' })).toMatchObject({
      ok: false,
      error: { code: 'unknown_tool' },
    });
  });

  it.each<[file: string, bytes: string | Uint8Array, mimeType: string | undefined, expected: object]>([
    ['a.png', Buffer.from('89504e47', 'hex'), undefined, { mimeType: 'image/png', blob: 'iVBORw==' }],
    ['a.svg', '<svg/>', undefined, { mimeType: 'image/svg+xml', text: '<svg/>' }],
    ['a.json', '{}', undefined, { mimeType: 'application/json', text: '{}' }],
    ['NOTES', 'plain', undefined, { mimeType: 'text/plain', text: 'plain' }],
    [
      'a.bin',
      'looks like text',
      undefined,
      { mimeType: 'application/octet-stream', blob: 'bG9va3MgbGlrZSB0ZXh0' },
    ],
    ['a.txt', Buffer.from([0xff, 0xfe]), undefined, { mimeType: 'text/plain', blob: '//4=' }],
    ['a.txt', 'x', 'text/x-log; charset=utf-8', { mimeType: 'text/x-log; charset=utf-8', text: 'x' }],
    ['empty.md', '', undefined, { mimeType: 'text/markdown', text: '' }],
  ])('%s is text or base64 by its type and its bytes', async (file, bytes, mimeType, expected) => {
    await using place = await openPlace({
      'it/resource.json': { ...GUIDE, file, ...(mimeType === undefined ? {} : { mimeType }) },
      [`it/${file}`]: bytes,
    });
    await using host = await place.open();
    expect(await host.resources.read('docs://guide')).toMatchObject({ ok: true, contents: [expected] });
  });

  it.each<[file: string, says: string]>([
    ['../secret.txt', "inside the plugin's directory"],
    ['/etc/passwd', "inside the plugin's directory"],
    ['a/../../secret.txt', "inside the plugin's directory"],
    ['.env', 'dot file'],
    ['nowhere.txt', 'is not there'],
    ['folder', 'is no file'],
  ])('refuses %s', async (file, says) => {
    await using place = await openPlace({ 'it/resource.json': { ...GUIDE, file }, 'it/folder/a.txt': '' });
    await writeFile(path.join(place.dir, 'secret.txt'), 'secret');
    await using host = await place.open();
    const entry = host.catalog.get('it', 'resource');
    expect(entry).toMatchObject({ state: 'broken', problems: [{ message: expect.stringContaining(says) }] });
    expect(host.resources.list()).toEqual([]);
  });

  it('refuses a file that is too large before it reads it', async () => {
    await using place = await openPlace({ 'it/resource.json': GUIDE });
    await writeFile(path.join(place.dir, 'plugins/it/guide.md'), Buffer.alloc(MAX_FILE_BYTES + 1, 'a'));
    await using host = await place.open();
    expect(host.catalog.get('it', 'resource')?.problems).toMatchObject([
      { file: 'guide.md', message: expect.stringContaining(`the most is ${MAX_FILE_BYTES}`) },
    ]);
  });
});

describe('a resource with an implementation', () => {
  it('gets the variables and the URI, runs behind the wall, and answers in every form', async () => {
    await using place = await openPlace({
      'notes/resource.json': { ...NOTES, mimeType: 'text/markdown' },
      'notes/index.ts': `export default async ({ id, uri }: { id: string; uri: string }) => {
        if (id === 'text') return uri + ' ' + typeof process.env.HOME;
        if (id === 'typed') return { text: '{}', mimeType: 'application/json' };
        if (id === 'blob') return { blob: 'AAEC' };
        if (id === 'many') return ['a', { uri: 'notes://other', text: 'b' }];
        if (id === 'mcp') return { contents: [{ uri, text: 'c' }] };
        if (id === 'none') return null;
        if (id === 'number') return 7;
        if (id === 'base64') return { blob: '!' };
        while (id === 'loop');
        throw new Error('it broke');
      };`,
    });
    await using host = await place.open();
    const read = (id: string) => host.resources.read(`notes://${id}`);
    expect(host.resources.templates()).toEqual([
      {
        uriTemplate: 'notes://{id}',
        name: 'notes',
        description: 'Notes by their number.',
        mimeType: 'text/markdown',
      },
    ]);
    expect(host.resources.list()).toEqual([]);
    expect(await read('text')).toMatchObject({
      contents: [{ uri: 'notes://text', mimeType: 'text/markdown', text: 'notes://text undefined' }],
    });
    expect(await read('typed')).toMatchObject({ contents: [{ mimeType: 'application/json', text: '{}' }] });
    expect(await read('blob')).toMatchObject({ contents: [{ blob: 'AAEC' }] });
    expect(await read('many')).toMatchObject({
      contents: [
        { uri: 'notes://many', text: 'a' },
        { uri: 'notes://other', text: 'b' },
      ],
    });
    expect(await read('mcp')).toMatchObject({ contents: [{ uri: 'notes://mcp', text: 'c' }] });
    for (const [id, code] of [
      ['none', 'not_found'],
      ['number', 'invalid_result'],
      ['base64', 'invalid_result'],
      ['loop', 'cpu_limit'],
      ['other', 'tool_error'],
    ] as const)
      expect(await read(id), id).toMatchObject({ ok: false, error: { code } });
    expect(await host.resources.read('notes://')).toMatchObject({
      ok: false,
      error: { code: 'unknown_resource', hint: expect.stringContaining('notes://{id}') },
    });
    expect((await host.resources.read('x'.repeat(100_000))).ok).toBe(false);
  });

  it('reads under its permissions, with its secrets taken out and each read in the audit', async () => {
    await using place = await openPlace({
      'log/resource.json': {
        uri: 'logs://today',
        description: 'The log.',
        permissions: {
          read: ['./data/**'],
          env: ['SHOWN'],
          secrets: { HIDDEN: { header: 'x', for: 'https://example.com' } },
        },
      },
      'log/index.js': `import { readFile } from 'node:fs/promises';
        export default async () => (await readFile('./data/log.txt', 'utf8')) + process.env.SHOWN;`,
      'thief/resource.json': { uri: 'logs://config', description: 'Not its own.' },
      'thief/index.js': `import { readFile } from 'node:fs/promises';
        export default () => readFile('./data/log.txt', 'utf8');`,
    });
    await mkdir(path.join(place.dir, 'data'));
    await writeFile(path.join(place.dir, 'data/log.txt'), 'the secret is tops3cret-value. ');
    process.env.HIDDEN = 'tops3cret-value';
    process.env.SHOWN = 'shown';
    const audited: unknown[] = [];
    try {
      await using host = await place.open({ onAudit: (entry) => audited.push(entry) });
      expect(await textOf(host, 'logs://today')).toEqual(['the secret is [redacted]. shown']);
      expect(await host.resources.read('logs://config')).toMatchObject({
        ok: false,
        error: { code: 'permission_denied', message: expect.stringContaining('resource:thief') },
      });
    } finally {
      delete process.env.HIDDEN;
      delete process.env.SHOWN;
    }
    expect(audited).toMatchObject([
      { tool: 'resource:log', outcome: 'ok' },
      { tool: 'resource:thief', outcome: 'permission_denied' },
    ]);
  });

  it('is cancelled by its reader, and ended by its own limit', async () => {
    await using place = await openPlace({
      'slow/resource.json': { uri: 'slow://it', description: 'Never ends.', limits: { timeoutMs: 300 } },
      'slow/index.js': 'export default () => new Promise(() => {});',
    });
    await using host = await place.open();
    expect(await host.resources.read('slow://it')).toMatchObject({ error: { code: 'timeout' } });
    const controller = new AbortController();
    const reading = host.resources.read('slow://it', { signal: controller.signal });
    controller.abort();
    expect(await reading).toMatchObject({ error: { code: 'cancelled' } });
  });

  it('keeps a name of its own: a tool beside it shares neither store nor name with it', async () => {
    const counts = `export default async (args, ctx) => {
      const n = ((await ctx.storage.get('n')) ?? 0) + 1;
      await ctx.storage.set('n', n);
      return String(n);
    };`;
    await using place = await openPlace({
      'a/resource.json': {
        name: 'it',
        uri: 'count://it',
        description: 'Counts.',
        permissions: { storage: '1KB' },
      },
      'a/index.js': counts,
      'b/schema.json': {
        name: 'it',
        description: 'Counts.',
        parameters: { type: 'object' },
        permissions: { storage: '1KB' },
      },
      'b/index.js': counts,
      'c/prompt.md': '---\nname: it\ndescription: Says it.\n---\nHello',
    });
    await using host = await place.open();
    expect(host.catalog.list().filter(({ name }) => name === 'it')).toMatchObject([
      { kind: 'resource', state: 'ready' },
      { kind: 'tool', state: 'ready' },
      { kind: 'prompt', state: 'ready' },
    ]);
    await textOf(host, 'count://it');
    expect(await textOf(host, 'count://it')).toEqual(['2']);
    expect(await host.call({ name: 'it' })).toMatchObject({ ok: true, value: '1' });
  });
});

describe('completion of a template', () => {
  it('takes the list of resource.json first, then the export complete, and bounds what it gives', async () => {
    await using place = await openPlace({
      'docs/resource.json': {
        uriTemplate: 'docs://{lang}/{page}',
        description: 'Pages.',
        complete: { lang: ['English', 'Español', 'Deutsch', 'old english'] },
      },
      'docs/index.ts': `export default () => 'page';
        export function complete({ variable, value, variables }) {
          if (value === 'bad') return [7];
          return Array.from({ length: 150 }, (_each, index) => variable + value + (variables.lang ?? '') + index);
        }`,
      'plain/resource.json': NOTES,
      'plain/index.js': 'export default () => 1;',
    });
    await using host = await place.open();
    const { resources } = host;
    expect(await resources.complete('docs://{lang}/{page}', 'lang', 'E')).toMatchObject({
      values: ['English', 'Español', 'Deutsch', 'old english'],
    });
    expect(await resources.complete('docs', 'lang', 'eng')).toEqual({
      ok: true,
      values: ['English', 'old english'],
      total: 2,
      hasMore: false,
    });
    const computed = await resources.complete('docs', 'page', 'x', { variables: { lang: 'en' } });
    expect(computed).toMatchObject({ ok: true, total: 150, hasMore: true });
    expect(computed.ok && [computed.values.length, computed.values[0]]).toEqual([100, 'pagexen0']);
    expect(await resources.complete('docs', 'page', 'bad')).toMatchObject({
      ok: false,
      error: { code: 'invalid_result' },
    });
    expect(await resources.complete('notes://{id}', 'id', '')).toMatchObject({
      ok: true,
      values: [],
      total: 0,
    });
    expect(await resources.complete('docs', 'pgae', '')).toMatchObject({
      error: { code: 'unknown_argument', hint: expect.stringContaining('page') },
    });
    expect(await resources.complete('nothing', 'a', '')).toMatchObject({
      error: { code: 'unknown_resource' },
    });
  });
});

describe('resources follow their directories', () => {
  it('come, change, break and go; the last good one serves, and subscribers of the URI hear', async () => {
    await using place = await openPlace();
    await using host = await place.open({ watch: true });
    const kinds = new Set<string>();
    host.catalog.on('change', (changed) => {
      for (const kind of changed) kinds.add(kind);
    });
    const heard: string[] = [];
    const stop = host.resources.subscribe('docs://guide', (uri) => heard.push(uri));
    await place.write({ 'guide/resource.json': GUIDE, 'guide/guide.md': 'one' });
    await until(() => heard.length === 1);
    expect(await textOf(host, 'docs://guide')).toEqual(['one']);
    await place.write({ 'guide/guide.md': 'two' });
    await until(() => heard.length === 2);
    expect(await textOf(host, 'docs://guide')).toEqual(['two']);
    await place.write({ 'guide/resource.json': '{\n  "uri": "docs://guide",\n  "fil": "guide.md"\n}' });
    await until(() => host.catalog.get('guide', 'resource')?.state === 'broken');
    expect(host.catalog.get('guide', 'resource')?.problems).toMatchObject([
      { file: 'resource.json', line: 3, message: expect.stringContaining('did you mean "file"') },
    ]);
    expect(await textOf(host, 'docs://guide')).toEqual(['two']);
    expect(heard).toHaveLength(2);
    stop();
    await rm(path.join(place.dir, 'plugins/guide'), { recursive: true });
    await until(() => !host.resources.has('docs://guide'));
    expect(host.catalog.list('resource')).toEqual([]);
    expect([...kinds]).toEqual(['resource']);
    expect(heard).toHaveLength(2);
  });

  it('tells subscribers of a template by their own URI when its code or a file beside it changes', async () => {
    await using place = await openPlace({
      'notes/resource.json': NOTES,
      'notes/index.js': "export default ({ id }) => 'one ' + id;",
      'notes/data.csv': '1',
      'other/resource.json': GUIDE,
      'other/guide.md': 'x',
    });
    await using host = await place.open({ watch: true });
    const heard: string[] = [];
    for (const uri of ['notes://1', 'notes://2', 'docs://guide', 'nobody://is/here'])
      host.resources.subscribe(uri, (changed) => heard.push(changed));
    await place.write({ 'notes/data.csv': '2' });
    await until(() => heard.length === 2);
    await place.write({ 'notes/index.js': "export default ({ id }) => 'two ' + id;" });
    await until(() => heard.length === 4);
    expect(heard).toEqual(['notes://1', 'notes://2', 'notes://1', 'notes://2']);
    expect(await textOf(host, 'notes://1')).toEqual(['two 1']);
  });

  it('lets a directory become another kind, and the old thing go', async () => {
    await using place = await openPlace({ 'it/resource.json': GUIDE, 'it/guide.md': 'x' });
    await using host = await place.open({ watch: true });
    const removed: unknown[] = [];
    host.catalog.on('remove', (...what) => removed.push(what));
    const dir = path.join(place.dir, 'plugins/it');
    await writeFile(path.join(dir, 'new.md'), 'Hello');
    await rm(path.join(dir, 'resource.json'));
    await rename(path.join(dir, 'new.md'), path.join(dir, 'prompt.md'));
    await until(() => host.prompts.list().length === 1);
    expect(host.resources.list()).toEqual([]);
    expect(removed).toContainEqual(['it', 'resource']);
    expect(host.catalog.list().filter(({ dir }) => dir !== undefined)).toHaveLength(1);
  });
});

describe('addresses that two resources claim', () => {
  it('stay with the one that had them, and with nobody when neither had', async () => {
    const problems: string[] = [];
    await using place = await openPlace({ 'b/resource.json': GUIDE, 'b/guide.md': 'first' });
    await using host = await place.open({ watch: true, onProblem: ({ message }) => problems.push(message) });
    await place.write({ 'a/resource.json': GUIDE, 'a/guide.md': 'second' });
    await until(() => problems.length > 0);
    expect(problems).toEqual([
      expect.stringMatching(/"a" and "b" have the same address docs:\/\/guide; "b" is used/),
    ]);
    expect(await textOf(host, 'docs://guide')).toEqual(['first']);
    await using other = await place.open({ onProblem: ({ message }) => problems.push(message) });
    expect(problems[1]).toContain('neither is used');
    expect(other.resources.list()).toEqual([]);
  });

  it('go to the URI before a template, and to the template that says most', async () => {
    const answering = (text: string) => `export default () => ${JSON.stringify(text)};`;
    await using place = await openPlace({
      'all/resource.json': { uriTemplate: 'docs://{+path}', description: 'All.' },
      'all/index.js': answering('all'),
      'some/resource.json': { uriTemplate: 'docs://api/{name}', description: 'Some.' },
      'some/index.js': answering('some'),
      'one/resource.json': { uri: 'docs://api/one', description: 'One.' },
      'one/index.js': answering('one'),
    });
    await using host = await place.open();
    expect(await textOf(host, 'docs://api/one')).toEqual(['one']);
    expect(await textOf(host, 'docs://api/two')).toEqual(['some']);
    expect(await textOf(host, 'docs://api/two/three')).toEqual(['all']);
  });
});

describe('what is wrong with a resource', () => {
  it.each<[resource: unknown, files: Record<string, string>, says: string]>([
    ['', {}, 'empty'],
    ['[]', {}, 'must be an object'],
    ['{"uri": 1, "uri": 2}', {}, 'given twice'],
    [{ description: 'x' }, {}, '"uri"'],
    [{ ...GUIDE, uriTemplate: 'a://{b}' }, {}, 'one of the two'],
    [{ ...GUIDE, uri: 'guide' }, {}, 'whole URI'],
    [{ ...GUIDE, uri: 'docs://{id}' }, {}, 'uriTemplate'],
    [{ ...NOTES, file: 'a.md' }, { 'a.md': '' }, 'needs an implementation'],
    [NOTES, {}, 'there is no content'],
    [NOTES, { 'index.js': 'export const read = 1;' }, 'default export'],
    [NOTES, { 'index.js': 'export default () =>\n  (;' }, 'Unexpected'],
    [
      { ...NOTES, complete: { other: [] } },
      { 'index.js': 'export default () => 1;' },
      'no variable of the template',
    ],
    [{ ...NOTES, complete: { id: 'a' } }, { 'index.js': 'export default () => 1;' }, 'list of at most'],
    [{ ...GUIDE, mimeType: 'markdown' }, { 'guide.md': '' }, 'media type'],
    [{ ...GUIDE, permissions: { network: [] } }, { 'guide.md': '' }, 'no capability'],
    [{ ...GUIDE, limits: { cpu: 1 } }, { 'guide.md': '' }, 'is unknown'],
  ])('%j is told in words, and hides no other', async (resource, files, says) => {
    const beside = Object.fromEntries(Object.entries(files).map(([name, text]) => [`it/${name}`, text]));
    await using place = await openPlace({
      'it/resource.json': resource,
      ...beside,
      'good/resource.json': { ...GUIDE, uri: 'docs://good' },
      'good/guide.md': 'good',
    });
    await using host = await place.open();
    const entry = host.catalog.get('it', 'resource');
    expect(entry?.state).toBe('broken');
    expect(entry?.problems.map(({ message }) => message).join('\n')).toContain(says);
    expect(host.resources.list().map(({ name }) => name)).toEqual(['good']);
  });

  it('tells of files that look like a second plugin in one directory', async () => {
    await using place = await openPlace({
      'tool/schema.json': { description: 'A tool.', parameters: { type: 'object' } },
      'tool/index.js': "import text from './prompt.md'; export default () => text;",
      'tool/prompt.md': 'imported',
      'tool/resource.json': GUIDE,
      'it/resource.json': { ...GUIDE, file: 'prompt.md' },
      'it/prompt.md': 'x',
      'it/index.js': 'export default () => 1;',
    });
    await using host = await place.open();
    expect(host.catalog.get('tool')?.warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('resource.json beside it is not read'),
    ]);
    expect(await host.call({ name: 'tool' })).toMatchObject({ value: 'imported' });
    expect(host.catalog.get('it', 'resource')?.warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('index.js is not used'),
    ]);
    expect(host.prompts.list()).toEqual([]);
  });

  it('follows no link of a stranger, wherever it stands on the way', async () => {
    await using place = await openPlace({
      'leaf/resource.json': { ...GUIDE, uri: 'docs://leaf', file: 'passwd' },
      'way/resource.json': { ...GUIDE, uri: 'docs://way', file: 'etc/passwd' },
      'head/guide.md': 'x',
      'head/none.txt': 'x',
    });
    const plugins = path.join(place.dir, 'plugins');
    await symlink('/etc/passwd', path.join(plugins, 'leaf/passwd'));
    await symlink('/etc', path.join(plugins, 'way/etc'));
    await writeFile(path.join(place.dir, 'resource.json'), JSON.stringify(GUIDE));
    await symlink(path.join(place.dir, 'resource.json'), path.join(plugins, 'head/resource.json'));
    await using host = await place.open({}, { plugins: [{ dir: './plugins', trust: 'granted' }] });
    for (const name of ['leaf', 'way', 'head'])
      expect(host.catalog.get(name, 'resource'), name).toMatchObject({
        state: 'broken',
        problems: [{ message: expect.stringContaining('not a link') }],
      });
  });
});

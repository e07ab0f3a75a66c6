import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createHost, type Host } from '../../core/index.ts';
import { answering, temporaryRoot, writePlugin } from './temporary-plugins.ts';

const schema = (permissions: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  description: 'Attacks a capability. Use it in tests.',
  parameters: { type: 'object' },
  permissions,
  ...more,
});

interface Place extends AsyncDisposable {
  readonly dir: string;
  write(name: string, code: string, schema?: unknown): Promise<string>;
  open(config?: object): Promise<Host>;
  /** What the audit says of the last call of a tool. */
  audited(name: string): Promise<{ readonly uses?: readonly Record<string, unknown>[] }>;
}

async function place(): Promise<Place> {
  const root = await temporaryRoot();
  return {
    dir: root.dir,
    [Symbol.asyncDispose]: () => root[Symbol.asyncDispose](),
    write: (name, code, own = schema({})) => writePlugin(path.join(root.dir, 'plugins'), name, code, own),
    async open(config = {}) {
      const file = path.join(root.dir, 'registry.config.json');
      await writeFile(file, JSON.stringify({ plugins: './plugins', watch: false, ...config }));
      const host = await createHost({ config: file });
      await host.ready;
      return host;
    },
    async audited(name) {
      const text = await readFile(path.join(root.dir, '.glovebox', 'audit.jsonl'), 'utf8');
      const lines = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      return lines.findLast(({ tool }) => tool === name) ?? {};
    },
  };
}

describe('attacks on capabilities that once went through', () => {
  it('a request full of wildcards is refused at load: holding a path against it would take the host seconds', async () => {
    await using here = await place();
    const many = (start: string) => Array.from({ length: 200 }, (_, n) => `${start}${'a*'.repeat(12)}x${n}`);
    await here.write('paths', answering('x'), schema({ read: many('./**/') }));
    await here.write('urls', answering('x'), schema({ net: many('https://*/') }));
    await here.write(
      'names',
      answering('x'),
      schema({ tools: Array.from({ length: 200 }, () => `*${'a'.repeat(150)}`) }),
    );
    await here.write(
      'usual',
      answering('x'),
      schema({
        net: Array.from({ length: 200 }, (_, n) => `GET https://h${n}.example/v1/*`),
        read: ['./data/**', './**/*.md'],
      }),
    );
    await using host = await here.open();
    for (const name of ['paths', 'urls', 'names'])
      expect(host.catalog.get(name), name).toMatchObject({ state: 'broken' });
    expect(host.catalog.get('usual')).toMatchObject({ state: 'ready' });
  });

  it('a denial offers no grant that allows more than what was asked for', async () => {
    await using here = await place();
    const code = `import { readFile } from 'node:fs/promises';
      export default async (args, ctx) => {
        const said = async (work) => { try { await work(); return 'done'; } catch (error) { return error.message; } };
        return Promise.all([
          said(() => readFile('.')), said(() => readFile('/')), said(() => ctx.tools.call('*')), said(() => ctx.tools.call('a*')),
          said(() => fetch('https://*/')), said(() => fetch('https://a*.example/x')), said(() => fetch('https://a.example/*')),
        ]);
      };`;
    await here.write('asks', code);
    await using host = await here.open();
    const result = await host.call({ name: 'asks' });
    const grants = (result.ok ? (result.value as string[]) : []).map(
      (text) => /allow it(?: too)?: (.*)/.exec(text)?.[1],
    );
    expect(grants).toEqual([
      '"asks": { "read": ["."] }',
      ...Array.from({ length: 5 }, () => undefined),
      '"asks": { "net": ["GET https://a.example/\\\\*"] }',
    ]);
  });

  it('a name that an export made legal is held against the policy as the tool that it means', async () => {
    await using here = await place();
    await here.write('read/private', answering('private'));
    const calls = "export default async (args, ctx) => (await ctx.tools.call('read_private')).value;\n";
    await here.write('outsider', calls, schema({ tools: ['read_*'] }));
    await here.write('insider', calls, schema({ tools: ['read.*'] }));
    await using host = await here.open();
    expect(await host.call({ name: 'outsider' })).toMatchObject({
      ok: false,
      error: { code: 'permission_denied' },
    });
    expect(await host.call({ name: 'insider' })).toMatchObject({ ok: true, value: 'private' });
  });

  it('the audit has every use: those that fail, those that only ask, and those beyond what it tells apart', async () => {
    await using here = await place();
    await mkdir(path.join(here.dir, 'data'));
    await mkdir(path.join(here.dir, 'out'));
    await writeFile(path.join(here.dir, 'data', 'there'), '1');
    const code = `import { access, readFile, readdir, stat } from 'node:fs/promises';
      export default async ({ flood }, ctx) => {
        for (let n = 0; n < flood; n += 1) await stat('./data/' + n).catch(() => {});
        await access('./data/there'); await access('./out').catch(() => {}); await readFile('./data/gone').catch(() => {}); await readFile('./data').catch(() => {});
        await ctx.storage.set('k', 'x'.repeat(100)).catch(() => {});
      };`;
    await here.write('user', code, schema({ read: ['./data/**'], write: ['./out/**'], storage: '50B' }));
    await using host = await here.open();
    await host.call({ name: 'user', arguments: { flood: 0 } });
    await host.call({ name: 'user', arguments: { flood: 600 } });
    await host.close();
    const one = (capability: string, target: string, count = 1) => ({
      capability,
      target,
      allowed: true,
      count,
    });
    const { uses = [] } = await here.audited('user');
    expect(uses).toHaveLength(503);
    expect(uses.reduce((sum, { count }) => sum + Number(count), 0)).toBe(605);
    expect(uses.slice(-3)).toEqual([
      one('read', '(others)', 103),
      one('write', '(others)'),
      one('storage', '(others)'),
    ]);
    const log = await readFile(path.join(here.dir, '.glovebox', 'audit.jsonl'), 'utf8');
    expect(JSON.parse(log.split('\n')[0] ?? '').uses).toEqual([
      one('read', './data/there'),
      one('write', './out'),
      one('read', './data/gone'),
      one('read', './data'),
      one('storage', '50'),
    ]);
  });

  it('file operations that wait when their call ends are not begun', async () => {
    await using here = await place();
    await mkdir(path.join(here.dir, 'data'));
    for (let n = 0; n < 3_000; n += 1) await writeFile(path.join(here.dir, 'data', `f${n}`), '');
    const code = `import { readdir } from 'node:fs/promises';
      export default async () => { for (let n = 0; n < 900; n += 1) readdir('./data').catch(() => {}); await readdir('./data'); };`;
    await here.write('lists', code, schema({ read: ['./data/**'] }, { limits: { timeoutMs: 300 } }));
    await using host = await here.open();
    await host.call({ name: 'lists' });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const before = process.cpuUsage();
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { user, system } = process.cpuUsage(before);
    // With 900 listings to go it would be all of the time.
    expect((user + system) / 1_000).toBeLessThan(250);
  });

  it('a call writes no more than a bounded line into the audit', async () => {
    await using here = await place();
    const code = `import { stat } from 'node:fs/promises';
      export default async () => { for (let n = 0; n < 500; n += 1) await stat('./data/' + n + '/x'.repeat(230)).catch(() => {}); };`;
    await here.write('floods', code, schema({ read: ['./data/**'] }));
    await using host = await here.open();
    const wide = (depth: number): unknown =>
      depth === 0
        ? 1
        : Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`key${n}`, wide(depth - 1)]));
    await host.call({ name: 'floods', arguments: { deep: wide(3) } });
    await host.close();
    expect(JSON.stringify(await here.audited('floods')).length).toBeLessThan(150_000);
  });

  it('the widest grant opens neither the audit, also when put aside, nor packages that plugins import, nor the host itself', async () => {
    await using here = await place();
    const code = `import { readFile, writeFile } from 'node:fs/promises';
      export default ({ file, text }) => (text === undefined ? readFile(file, 'utf8') : writeFile(file, text));`;
    await here.write('wide', code, schema({ read: ['./**', '/**'], write: ['./**', '/**'] }));
    await using host = await here.open({ audit: { path: './logs/audit.jsonl', maxBytes: 4096 } });
    await mkdir(path.join(here.dir, 'logs'));
    await mkdir(path.join(here.dir, 'node_modules', 'p'), { recursive: true });
    for (const name of ['logs/audit.jsonl.1', 'logs/audit.jsonl.4', 'node_modules/p/index.js'])
      await writeFile(path.join(here.dir, name), 'as it was');
    const files = [
      './logs/audit.jsonl.1',
      './logs/audit.jsonl.4',
      '/proc/self/environ',
      '/proc/thread-self/environ',
      `/proc/${process.pid}/environ`,
    ];
    const calls = [
      ...files.map((file) => ({ file })),
      ...[...files, './node_modules/p/index.js', './node_modules/q.js'].map((file) => ({
        file,
        text: 'changed',
      })),
    ];
    for (const args of calls)
      expect(await host.call({ name: 'wide', arguments: args }), JSON.stringify(args)).toMatchObject({
        ok: false,
        error: { code: 'permission_denied' },
      });
  });

  it('a path of a URL climbs out of what was granted in no spelling that servers undo', async () => {
    await using here = await place();
    const paths: string[] = [];
    const server = createServer((request, response) => {
      paths.push(request.url ?? '');
      response.end('ok');
    });
    const origin = await listen(server);
    await here.write(
      'climbs',
      `export default async ({ way }) => (await fetch('${origin}' + way)).text();`,
      schema({ net: [`${origin}/public/*`] }),
    );
    await using host = await here.open();
    for (const way of [
      '/public/..%2fprivate',
      '/public/%2E%2e%2Fprivate',
      '/public/..%5cprivate',
      '/public/..;/private',
      '/public/..%3b/private',
      '/public/%252e%252e/private',
      '/public/..%252fprivate',
      '/public/a/..%2f..%2f..',
    ])
      expect(await host.call({ name: 'climbs', arguments: { way } }), way).toMatchObject({
        ok: false,
        error: { code: 'permission_denied' },
      });
    for (const way of ['/public/group%2Fproject', '/public/v1..v2', '/public/a;b/c', '/public/100%25'])
      expect(await host.call({ name: 'climbs', arguments: { way } }), way).toMatchObject({ value: 'ok' });
    expect(paths).toHaveLength(4);
    server.close();
    server.closeAllConnections();
  });

  it('a secret stays hidden in a status text, a header of UTF-8, small letters, two layers of gzip, and as what Basic says', async () => {
    await using here = await place();
    process.env.GLOVEBOX_ATTACKED_KEY = 'sk-Gehe!m/Schlüssel';
    process.env.GLOVEBOX_ATTACKED_BASIC = Buffer.from('someone:correct horse').toString('base64');
    const server = createServer((request, response) => {
      const key = String(request.headers['x-key']);
      const basic = Buffer.from(
        String(request.headers.authorization).slice('Basic '.length),
        'base64',
      ).toString();
      response.setHeader('x-utf8', Buffer.from(key, 'utf8').toString('latin1'));
      response.setHeader('x-small', key.toLowerCase());
      response.setHeader('x-user', basic);
      response.setHeader('content-encoding', ['gzip', 'gzip']);
      response.statusMessage = key;
      response.end(gzipSync(gzipSync(`${key} ${basic.split(':')[1]}`)));
    });
    const origin = await listen(server);
    const code = `export default async () => { const r = await fetch('${origin}/'); return [await r.text(), r.statusText, r.headers.get('x-utf8'), r.headers.get('x-small'), r.headers.get('x-user')]; };`;
    await here.write(
      'spies',
      code,
      schema({
        net: [`${origin}/*`],
        secrets: {
          GLOVEBOX_ATTACKED_KEY: { header: 'x-key', for: origin },
          GLOVEBOX_ATTACKED_BASIC: {
            header: 'Authorization',
            value: `Basic \${GLOVEBOX_ATTACKED_BASIC}`,
            for: origin,
          },
        },
      }),
    );
    await using host = await here.open();
    const hidden = '[redacted]';
    expect(await host.call({ name: 'spies' })).toMatchObject({
      ok: true,
      value: [`${hidden} ${hidden}`, hidden, hidden, hidden, hidden],
    });
    delete process.env.GLOVEBOX_ATTACKED_KEY;
    delete process.env.GLOVEBOX_ATTACKED_BASIC;
    server.close();
    server.closeAllConnections();
  });
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // an address, since it listens on one
}

import { once } from 'node:events';
import { mkdir, readFile, rename, symlink, unlink, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHost, type Host, type HostOptions } from '../../core/index.ts';
import { temporaryRoot, writePlugin } from '../host/temporary-plugins.ts';
import { reference } from './guest.ts';
import { serve, text } from './net/server.ts';

interface World {
  readonly dir: string;
  readonly host: Host;
}

type Plugins = Readonly<Record<string, readonly [code: string, permissions: Record<string, unknown>]>>;

/** A host over real plugins under trust "declared". */
async function openWorld(plugins: Plugins, options: Omit<HostOptions, 'config'> = {}): Promise<World> {
  const root = await temporaryRoot();
  onTestFinished(() => root[Symbol.asyncDispose]());
  for (const [name, [code, permissions]] of Object.entries(plugins)) {
    const schema = { description: 'Used in tests.', parameters: { type: 'object' }, permissions };
    await writePlugin(path.join(root.dir, 'plugins'), name, code, schema);
  }
  const config = path.join(root.dir, 'registry.config.json');
  await writeFile(config, JSON.stringify({ plugins: './plugins', watch: false }));
  const host = await createHost({ config, ...options });
  onTestFinished(() => host.close());
  await host.ready;
  return { dir: root.dir, host };
}

describe('standard APIs in a plugin', () => {
  it('node:fs/promises does all of its work within the roots', async () => {
    const { host, dir } = await openWorld({
      worker: [
        `import fs, { access, appendFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
         import path from 'node:path';
         export default async () => {
           const at = (name) => path.join('data', name);
           await mkdir(at('a/b'), { recursive: true });
           await writeFile(at('a/b/one.txt'), 'one');
           await appendFile(at('a/b/one.txt'), '+');
           const exclusive = await writeFile(at('a/b/one.txt'), 'x', { flag: 'wx' }).catch((error) => error.code);
           await rename(at('a/b/one.txt'), at('a/two.txt'));
           const missing = await access(at('a/b/one.txt')).catch((error) => error.code);
           const read = await readFile(at('a/two.txt'), 'utf8');
           const bytes = [...(await fs.readFile(at('a/two.txt')))];
           const { size } = await stat(at('a/two.txt'));
           const names = (await readdir('data', { recursive: true })).sort();
           await rm(at('a'), { recursive: true });
           return { exclusive, missing, read, bytes, size, names, left: await readdir('data') };
         };`,
        { read: ['./data/**'], write: ['./data/**'] },
      ],
    });
    await mkdir(path.join(dir, 'data'));
    expect(await host.call({ name: 'worker' })).toMatchObject({
      ok: true,
      value: {
        exclusive: 'EEXIST',
        missing: 'ENOENT',
        read: 'one+',
        bytes: [111, 110, 101, 43],
        size: 4,
        names: ['a', 'a/b', 'a/two.txt'],
        left: [],
      },
    });
  });

  const USES: Readonly<Record<string, readonly [use: string, capability: string, line: string]>> = {
    fetch: [`fetch('https://api.example/x?key=1')`, 'net', '{ "net": ["GET https://api.example/x"] }'],
    readFile: [`fs.readFile('./a.txt')`, 'read', '{ "read": ["./a.txt"] }'],
    writeFile: [`fs.writeFile('./a.txt', 'x')`, 'write', '{ "write": ["./a.txt"] }'],
    appendFile: [`fs.appendFile('a.txt', 'x')`, 'write', '{ "write": ["./a.txt"] }'],
    readdir: [`fs.readdir('docs')`, 'read', '{ "read": ["./docs"] }'],
    stat: [`fs.stat('a.txt')`, 'read', '{ "read": ["./a.txt"] }'],
    mkdir: [`fs.mkdir('a')`, 'write', '{ "write": ["./a"] }'],
    rm: [`fs.rm('a')`, 'write', '{ "write": ["./a"] }'],
    rename: [`fs.rename('a', 'b')`, 'write', '{ "write": ["./a"] }'],
    access: [`fs.access('a')`, 'read', '{ "read": ["./a"] }'],
    storage: [`ctx.storage.set('k', 1)`, 'storage', '{ "storage": "1MB" }'],
    tools: [`ctx.tools.call('math.add')`, 'tools', '{ "tools": ["math.add"] }'],
  };

  it('without a grant throw a normal exception, and, uncaught, tell the model which line is missing', async () => {
    const plugins = Object.entries(USES).flatMap(([name, [use]]) => {
      const head = "import fs from 'node:fs/promises'; export default async (args, ctx) => {";
      const caught = `${head} try { await ${use} } catch (error) { return [error instanceof Error, error.name, error.code] } }`;
      return [
        [`${name.toLowerCase()}_uncaught`, [`${head} await ${use} }`, {}]] as const,
        [`${name.toLowerCase()}_caught`, [caught, {}]] as const,
      ];
    });
    const { host, dir } = await openWorld(Object.fromEntries(plugins));
    for (const [name, [, capability, line]] of Object.entries(USES)) {
      const plugin = `${name.toLowerCase()}_uncaught`;
      const result = await host.call({ name: plugin });
      expect(result, name).toMatchObject({ ok: false, error: { code: 'permission_denied' } });
      expect(result.content, name).toContain(`${capability}: `);
      expect(result.content, name).toContain(`"permissions": ${line}`);
      expect(result.content, name).toContain(`registry.config.json must allow it too: "${plugin}": ${line}`);
      expect(result.content).not.toContain(dir);
      expect(result.content).not.toContain('key=1');
      expect(await host.call({ name: `${name.toLowerCase()}_caught` }), name).toMatchObject({
        ok: true,
        value: [true, 'NotAllowedError', 'permission_denied'],
      });
    }
  });
});

describe('the environment', () => {
  it('shows a canary to no plugin and no worker, and a plugin only what was granted', async () => {
    const canary = `canary-${Math.random()}`;
    process.env.GLOVEBOX_TEST_CANARY = canary;
    process.env.GLOVEBOX_TEST_SHOWN = 'shown';
    onTestFinished(() => {
      delete process.env.GLOVEBOX_TEST_CANARY;
      delete process.env.GLOVEBOX_TEST_SHOWN;
    });
    const look = `import process from 'node:process';
      export default () => [Object.keys(process.env), process.env.GLOVEBOX_TEST_CANARY, globalThis.process?.env, JSON.stringify(process)];`;
    const { host } = await openWorld({
      nothing: [look, {}],
      something: [look, { env: ['GLOVEBOX_TEST_SHOWN'] }],
    });
    const nothing = await host.call({ name: 'nothing' });
    const something = await host.call({ name: 'something' });
    expect(nothing).toMatchObject({ ok: true, value: [[], null, null, expect.anything()] });
    expect(something).toMatchObject({
      ok: true,
      value: [['GLOVEBOX_TEST_SHOWN'], null, null, expect.anything()],
    });
    expect(nothing.content + something.content).not.toContain(canary);
    expect(host.workers().length).toBeGreaterThan(0);
    if (process.platform !== 'linux') return;
    for (const { pid } of host.workers()) {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
      expect(environment).not.toContain(canary);
      expect(environment).not.toContain('GLOVEBOX_TEST');
    }
  });
});

describe('a secret', () => {
  it('is used at the edge and read by nobody, however the server echoes it and wherever it goes', async () => {
    const secret = 'pa$$/wörd+1 &="x"';
    process.env.GLOVEBOX_TEST_SECRET = secret;
    onTestFinished(() => {
      delete process.env.GLOVEBOX_TEST_SECRET;
    });
    const server = await serve((request, response) => {
      const got = String(request.headers['x-key']);
      const forms = [
        got,
        Buffer.from(got).toString('base64'),
        Buffer.from(got).toString('base64url'),
        encodeURIComponent(got),
        JSON.stringify(got),
      ];
      response.setHeader('x-echo', encodeURIComponent(got));
      text(response, JSON.stringify({ arrived: got === secret, forms }));
    });
    const logged: string[] = [];
    const code = `export default async ({ how }, ctx) => {
      const response = await fetch('${server.origin}/');
      const body = await response.text();
      console.log(body); ctx.progress(body);
      if (how === 'throw') throw new Error(body + response.headers.get('x-echo'));
      return { body, header: response.headers.get('x-echo'), env: process.env.GLOVEBOX_TEST_SECRET ?? 'none', [body]: 1 };
    };`;
    const secrets = {
      GLOVEBOX_TEST_SECRET: { header: 'X-Key', value: reference('GLOVEBOX_TEST_SECRET'), for: server.origin },
    };
    const { host, dir } = await openWorld(
      { echo: [code, { net: [`GET ${server.origin}/*`], secrets }] },
      { onLog: (_tool, _level, line) => logged.push(line) },
    );
    const returned = await host.call({ name: 'echo', arguments: {} });
    const thrown = await host.call({ name: 'echo', arguments: { how: 'throw' } });
    expect(returned).toMatchObject({ ok: true, value: { env: 'none' } });
    expect(returned.content).toContain('\\"arrived\\":true');
    await host.close();
    const audit = await readFile(path.join(dir, '.glovebox', 'audit.jsonl'), 'utf8');
    expect(audit).toContain('"echo"');
    const everything = JSON.stringify([returned, thrown, logged, audit]);
    const bytes = Buffer.from(secret);
    for (const form of [
      secret,
      bytes.toString('base64'),
      bytes.toString('base64url'),
      encodeURIComponent(secret),
      'wörd',
      'w%C3%B6rd',
    ])
      expect(everything, form).not.toContain(form);
  });
});

describe('a response', () => {
  it('of 10 GB ends at the cap with a clear error, and so does a gzip bomb; the host does not grow', async () => {
    let closed = 0;
    const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024));
    const server = await serve((request, response) => {
      response.on('close', () => {
        closed += 1;
      });
      if (request.url === '/bomb')
        return void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
      response.writeHead(200, { 'content-length': String(10 * 1024 ** 3) });
      const chunk = Buffer.alloc(65_536, 'x');
      const more = (): void => {
        while (!response.destroyed) if (!response.write(chunk)) return void response.once('drain', more);
      };
      more();
    });
    const code = `export default async ({ path }) => {
      let bytes = 0;
      try { for await (const chunk of (await fetch('${server.origin}' + path)).body) bytes += chunk.length }
      catch (error) { return { bytes, code: error.code, message: error.message } }
    };`;
    const { host } = await openWorld({ drink: [code, { net: [`GET ${server.origin}/*`] }] });
    const before = process.memoryUsage().rss;
    for (const where of ['/large', '/bomb']) {
      const result = await host.call({ name: 'drink', arguments: { path: where } });
      expect(result, where).toMatchObject({ ok: true, value: { code: 'response_too_large' } });
      expect(result.content).toContain('10485760 bytes allowed');
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
    await expect.poll(() => closed).toBe(2);
  });

  it.each(['the plugin’s AbortController', 'AbortSignal.timeout', 'the caller', 'leaving it unread'])(
    'cut short by %s closes the socket, and the server sees it',
    async (way) => {
      const arrived = Promise.withResolvers<ServerResponse>();
      const server = await serve((_request, response) => {
        response.write('first');
        arrived.resolve(response);
      });
      const signal = way.startsWith('AbortSignal')
        ? 'AbortSignal.timeout(1_500)'
        : way === 'the caller'
          ? 'ctx.signal'
          : 'mine.signal';
      const code = `export default async (args, ctx) => {
        const mine = new AbortController();
        const response = await fetch('${server.origin}/', { signal: ${signal} });
        const reader = response.body.getReader();
        await reader.read();
        ${way.startsWith('the plugin') ? 'setTimeout(() => mine.abort(), 5);' : ''}
        ${way.startsWith('leaving') ? "return 'left';" : ''}
        try { await reader.read() } catch (error) { return error.name }
      };`;
      const { host } = await openWorld({ reader: [code, { net: [`GET ${server.origin}/*`] }] });
      const caller = new AbortController();
      const calling = host.call({ name: 'reader', signal: caller.signal });
      const response = await arrived.promise;
      const closed = once(response, 'close');
      if (way === 'the caller') caller.abort();
      await closed;
      const result = await calling;
      if (way === 'the caller') expect(result).toMatchObject({ ok: false, error: { code: 'cancelled' } });
      else
        expect(result).toMatchObject({
          ok: true,
          value: expect.stringMatching(/^(AbortError|TimeoutError|left)$/),
        });
    },
  );

  it('that redirects to a host which is not allowed is a denial that names it', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(302, { location: 'https://elsewhere.example/take?it=1' }).end();
    });
    const { host } = await openWorld({
      follow: [
        `export default async () => (await fetch('${server.origin}/')).text()`,
        { net: [`GET ${server.origin}/*`] },
      ],
    });
    const result = await host.call({ name: 'follow' });
    expect(result).toMatchObject({ ok: false, error: { code: 'permission_denied' } });
    expect(result.content).toContain('"net": ["GET https://elsewhere.example/take"]');
  });
});

describe('a symbolic link', () => {
  it('swapped in while a plugin reads and writes never leads it out', async () => {
    const code = `import { readFile, writeFile } from 'node:fs/promises';
      export default async () => {
        const seen = new Set();
        for (let round = 0; round < 200; round++) {
          await readFile('data/leaf', 'utf8').then((text) => seen.add(text), (error) => seen.add(error.code));
          await writeFile('data/leaf', 'inside').then(() => 0, (error) => seen.add(error.code));
        }
        return [...seen];
      };`;
    const { host, dir } = await openWorld({ racer: [code, { read: ['./data/**'], write: ['./data/**'] }] });
    await mkdir(path.join(dir, 'data'));
    await writeFile(path.join(dir, 'outside.txt'), 'SECRET');
    const leaf = path.join(dir, 'data', 'leaf');
    let racing = true;
    const race = (async () => {
      while (racing) {
        await writeFile(path.join(dir, 'data', 'plain'), 'inside');
        await rename(path.join(dir, 'data', 'plain'), leaf).catch(() => undefined);
        await unlink(leaf).catch(() => undefined);
        await symlink(path.join(dir, 'outside.txt'), leaf).catch(() => undefined);
      }
    })();
    const result = await host.call({ name: 'racer' });
    racing = false;
    await race;
    expect(result).toMatchObject({ ok: true });
    expect(result.content).not.toContain('SECRET');
    expect(result.content).toContain('permission_denied');
    expect(await readFile(path.join(dir, 'outside.txt'), 'utf8')).toBe('SECRET');
  });
});

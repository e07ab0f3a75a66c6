import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ConfigInput, createHost } from '../../core/index.ts';
import { temporaryRoot, writePlugin } from './temporary-plugins.ts';

const schema = (permissions: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  description: 'Uses a capability. Use it in tests.',
  parameters: { type: 'object' },
  permissions,
  ...more,
});

async function openHost(dir: string, plugins: ConfigInput['plugins'] = './plugins', options = {}) {
  const file = path.join(dir, 'registry.config.json');
  await writeFile(file, JSON.stringify({ plugins, watch: false }));
  const host = await createHost({ config: file, ...options });
  await host.ready;
  return host;
}

describe('a plugin uses standard APIs through the host', () => {
  it('stores values that outlive the call and the host, each plugin its own', async () => {
    await using root = await temporaryRoot();
    const code =
      "export default async (args, ctx) => { const n = ((await ctx.storage.get('n')) ?? 0) + 1; await ctx.storage.set('n', n); return n; };\n";
    for (const name of ['one', 'two'])
      await writePlugin(path.join(root.dir, 'plugins'), name, code, schema({ storage: '10KB' }));
    await using first = await openHost(root.dir);
    expect(
      [
        await first.call({ name: 'one' }),
        await first.call({ name: 'one' }),
        await first.call({ name: 'two' }),
      ].map(({ content }) => content),
    ).toEqual(['1', '2', '1']);
    await first.close();
    await using second = await openHost(root.dir);
    expect(await second.call({ name: 'one' })).toMatchObject({ ok: true, value: 3 });
  });

  it('sees the variables of the environment that it asked for, at its first call and at each later one', async () => {
    await using root = await temporaryRoot();
    const code = 'export default () => ({ ...process.env });\n';
    await writePlugin(
      path.join(root.dir, 'plugins'),
      'shows',
      code,
      schema({ env: ['GLOVEBOX_TEST_SHOWN'] }),
    );
    await using host = await openHost(root.dir);
    for (const value of ['first', 'second']) {
      process.env.GLOVEBOX_TEST_SHOWN = value;
      try {
        expect(await host.call({ name: 'shows' })).toMatchObject({ value: { GLOVEBOX_TEST_SHOWN: value } });
      } finally {
        delete process.env.GLOVEBOX_TEST_SHOWN;
      }
    }
    expect(await host.call({ name: 'shows' })).toMatchObject({ value: {} });
  });

  it('reads files inside its roots; outside of them the model is told which grant is missing', async () => {
    await using root = await temporaryRoot();
    await mkdir(path.join(root.dir, 'data'));
    await writeFile(path.join(root.dir, 'data', 'a.txt'), 'inside');
    await writeFile(path.join(root.dir, 'secret.txt'), 'outside');
    const code =
      "import { readFile } from 'node:fs/promises';\nexport default ({ file }) => readFile(file, 'utf8');\n";
    await writePlugin(path.join(root.dir, 'plugins'), 'reader', code, schema({ read: ['./data/**'] }));
    await using host = await openHost(root.dir);
    expect(await host.call({ name: 'reader', arguments: { file: './data/a.txt' } })).toMatchObject({
      ok: true,
      value: 'inside',
    });
    for (const file of ['./secret.txt', './data/../secret.txt', './registry.config.json', '/etc/passwd']) {
      const result = await host.call({ name: 'reader', arguments: { file } });
      expect(result, file).toMatchObject({ ok: false, error: { code: 'permission_denied' } });
      expect(result.content).not.toContain(root.dir);
    }
  });

  it('fetches what is named, and nothing else', async () => {
    const server = createServer((_request, response) => response.end('served'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // it listens on TCP
    try {
      await using root = await temporaryRoot();
      const code = 'export default async ({ url }) => (await fetch(url)).text();\n';
      await writePlugin(
        path.join(root.dir, 'plugins'),
        'fetcher',
        code,
        schema({ net: [`GET http://127.0.0.1:${port}/allowed`] }),
      );
      await using host = await openHost(root.dir);
      expect(
        await host.call({ name: 'fetcher', arguments: { url: `http://127.0.0.1:${port}/allowed` } }),
      ).toMatchObject({ ok: true, value: 'served' });
      expect(
        await host.call({ name: 'fetcher', arguments: { url: `http://127.0.0.1:${port}/other` } }),
      ).toMatchObject({ ok: false, error: { code: 'permission_denied' } });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('asks before a destructive tool runs, and refuses where nobody can be asked', async () => {
    await using root = await temporaryRoot();
    await writePlugin(
      path.join(root.dir, 'plugins'),
      'wipe',
      "export default () => 'wiped';\n",
      schema({}, { annotations: { destructive: true } }),
    );
    const asked: unknown[] = [];
    const onApproval = ({ arguments: args }: { readonly arguments: Readonly<Record<string, unknown>> }) => {
      asked.push(args);
      return args.sure === true;
    };
    await using host = await openHost(root.dir, './plugins', { onApproval });
    expect(await host.call({ name: 'wipe', arguments: { sure: true } })).toMatchObject({
      ok: true,
      value: 'wiped',
    });
    expect(await host.call({ name: 'wipe', arguments: { sure: false } })).toMatchObject({
      ok: false,
      error: { code: 'not_approved', outcome: 'did_not_run' },
    });
    expect(asked).toEqual([{ sure: true }, { sure: false }]);
    await using silent = await openHost(root.dir);
    expect(await silent.call({ name: 'wipe', arguments: { sure: true } })).toMatchObject({
      ok: false,
      error: { code: 'not_approved' },
    });
  });
});

import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createHost, type Host } from '../../core/index.ts';
import { answering, SCHEMA, temporaryRoot, writePlugin } from './temporary-plugins.ts';

async function openHost(dir: string): Promise<Host> {
  const host = await createHost({ config: { plugins: dir, watch: false } });
  await host.ready;
  return host;
}

describe('attacks that once went through', () => {
  it('a plugin that bends JSON.stringify writes what it likes into a host call, and the host lives', async () => {
    await using root = await temporaryRoot();
    const code = `export default async (args, ctx) => {
      Object.prototype.toJSON = function (key) {
        if (key !== '') return this;
        delete Object.prototype.toJSON;
        return { url: 'http://x', method: { toString: 1, valueOf: 1 }, path: 5, key: {}, name: [] };
      };
      return await ctx[args.group][args.method]('k');
    };`;
    await writePlugin(root.dir, 'bender', code);
    await using host = await openHost(root.dir);
    for (const [group, method] of [
      ['storage', 'get'],
      ['tools', 'call'],
    ]) {
      expect(await host.call({ name: 'bender', arguments: { group, method } })).toMatchObject({ ok: false });
    }
  });

  it('an error that is made huge is told as an error, and no bystander dies of it', async () => {
    await using root = await temporaryRoot();
    await writePlugin(
      root.dir,
      'huge',
      "export default () => { Object.prototype.toJSON = () => 'x'.repeat(36e6); throw {}; };",
    );
    await using host = await openHost(root.dir);
    expect(await host.call({ name: 'huge' })).toMatchObject({ ok: false, error: { code: 'tool_error' } });
  });

  it('a call that is cancelled in a warm context never answers the next one', async () => {
    await using root = await temporaryRoot();
    const code = `const waiters = [];
      export default async (args, ctx) => {
        if (args.who === 'alice') { ctx.progress('in'); await new Promise((resolve) => waiters.push(resolve)); return 'of alice'; }
        for (const waiter of waiters.splice(0)) waiter();
        await null; await null; await null; await null;
        return 'of bob';
      };`;
    await writePlugin(root.dir, 'warm', code, { ...SCHEMA, state: 'plugin' });
    await using host = await openHost(root.dir);
    const controller = new AbortController();
    const inside = Promise.withResolvers<unknown>();
    const alice = host.call({
      name: 'warm',
      arguments: { who: 'alice' },
      session: 'alice',
      signal: controller.signal,
      onProgress: inside.resolve,
    });
    await inside.promise;
    controller.abort();
    expect(await alice).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    expect(await host.call({ name: 'warm', arguments: { who: 'bob' }, session: 'bob' })).toMatchObject({
      ok: true,
      value: 'of bob',
    });
  });

  it('a flood of large host calls ends with its own code', async () => {
    await using root = await temporaryRoot();
    const code = `export default async (args, ctx) => {
      const text = 'x'.repeat(4_000_000);
      for (let index = 0; index < 900; index += 1) ctx.tools.call(text).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 20_000));
    };`;
    await writePlugin(root.dir, 'flood', code);
    await using host = await openHost(root.dir);
    const before = process.memoryUsage().rss;
    expect(await host.call({ name: 'flood' })).toMatchObject({
      ok: false,
      error: { code: 'host_call_limit' },
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1_048_576);
  });

  it('a source map leads to no file of the machine', async () => {
    await using root = await temporaryRoot();
    await writePlugin(
      root.dir,
      'mapped',
      'export default () => 1;\n//# sourceMappingURL=../../../../../../../../etc/passwd\n',
    );
    const dir = await writePlugin(
      root.dir,
      'endless',
      'export default () => 1;\n//# sourceMappingURL=m.map\n',
    );
    await symlink('/dev/zero', path.join(dir, 'm.map'));
    await using host = await openHost(root.dir);
    expect((await host.call({ name: 'mapped' })).content).toBe('1');
    expect((await host.call({ name: 'endless' })).content).not.toContain('root:');
  });

  it('code that expands without end costs the bundler its process and nobody else their plugin', async () => {
    await using root = await temporaryRoot();
    await writePlugin(root.dir, 'good', answering('fine'));
    let text = `enum A{a0='${'x'.repeat(1024)}',`;
    for (let index = 1; index <= 21; index += 1) text += `a${index}=a${index - 1}+a${index - 1},`;
    const dir = await writePlugin(root.dir, 'doubling', '');
    await writeFile(path.join(dir, 'index.ts'), `${text}}export default()=>A.a0.length`);
    await using host = await openHost(root.dir);
    expect(host.catalog.get('doubling')).toMatchObject({ state: 'broken' });
    expect((await host.call({ name: 'good' })).content).toBe('fine');
  }, 90_000);
});

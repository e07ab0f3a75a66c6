import path from 'node:path';
import { createHost as createByName } from 'glovebox';
import { describe, expect, it } from 'vitest';
import { createHost } from '../../core/index.ts';
import { answering, temporaryRoot, writePlugin } from './temporary-plugins.ts';

describe('a host in an agent', () => {
  it('is imported by the name of the package', () => {
    expect(createByName).toBeTypeOf('function');
  });

  it('answers whatever is called, and never rejects', async () => {
    await using root = await temporaryRoot();
    await using host = await createHost({ config: { plugins: root.dir, watch: false } });
    for (const request of [undefined, null, 'calculator', 5, {}, { name: 5 }, { name: '' }]) {
      expect(await host.call(request as never)).toMatchObject({ ok: false, error: { code: 'unknown_tool' } });
    }
  });

  it('answers a request whose parts throw, change or are of another kind, and never rejects', async () => {
    await using root = await temporaryRoot();
    await writePlugin(root.dir, 'it', answering('yes'));
    await using host = await createHost({ config: { plugins: root.dir, watch: false } });
    for (const part of ['name', 'arguments', 'id', 'session', 'signal', 'chain', 'view']) {
      const trap = Object.defineProperty({ name: 'it' }, part, {
        get: () => {
          throw new Error('not to be read');
        },
      });
      expect(await host.call(trap)).toMatchObject({ ok: false, error: { code: 'unknown_tool' } });
    }
    let looks = 0;
    const fickle = {
      get name() {
        looks += 1;
        return looks === 1 ? 'it' : (undefined as never);
      },
    };
    expect(await host.call(fickle)).toMatchObject({ ok: true, value: 'yes' });
    for (const strange of [{ chain: null }, { id: null }, { session: null }, { signal: null }] as never[])
      expect(await host.call({ name: 'it', ...(strange as object) })).toMatchObject({ ok: true });
    for (const strange of [{ chain: null }, { session: 1n }] as never[]) {
      const result = await host.call({ name: 'nobody', ...(strange as object) });
      expect(result).toMatchObject({ ok: false, error: { code: 'unknown_tool' } });
    }
  });

  it('tells of listeners that reject, which end neither the call nor the process', async () => {
    await using root = await temporaryRoot();
    const code =
      "export default (_, ctx) => {\n  console.log('a line');\n  ctx.progress(1);\n  return 1;\n};\n";
    await writePlugin(root.dir, 'it', code);
    const problems: string[] = [];
    const failing = async (what: string) => {
      throw new Error(`no ${what}`);
    };
    await using host = await createHost({
      config: { plugins: root.dir, watch: false },
      onAudit: () => failing('audit'),
      onLog: () => failing('log'),
      onProblem: ({ message }) => problems.push(message),
    });
    const request = { name: 'it', onLog: () => failing('line'), onProgress: () => failing('progress') };
    expect(await host.call(request)).toMatchObject({ ok: true, value: 1 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(problems.sort()).toEqual([
      'a fault in audit: no audit',
      'a fault in log: no line',
      'a fault in log: no log',
      'a fault in progress: no progress',
    ]);
  });

  it('loads and follows plugins under listeners that throw or reject, and warns of what onProblem fails with', async () => {
    await using root = await temporaryRoot();
    await writePlugin(root.dir, 'it', 'export default () => 1;\n');
    const warnings: string[] = [];
    const warned = (warning: Error) => warnings.push(warning.message);
    process.on('warning', warned);
    for (const fail of [
      (what: string) => Promise.reject(new Error(what)),
      (what: string) => {
        throw new Error(what);
      },
    ]) {
      await using host = await createHost({
        config: { plugins: [root.dir, path.join(root.dir, 'nowhere')], watch: false },
        onLoading: () => fail('no loading'),
        onProblem: ({ message }) => fail(`no problem: ${message}`),
      });
      expect(await host.call({ name: 'it' })).toMatchObject({ ok: true, value: 1 });
    }
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', warned);
    for (const problem of ['a fault in onLoading: no loading', 'there is no directory'])
      expect(warnings.filter((warning) => warning.includes(problem)).length).toBeGreaterThanOrEqual(2);
  });

  it('waits for no listener, and keeps a worker whose log can not be redacted', async () => {
    await using root = await temporaryRoot();
    await writePlugin(root.dir, 'it', "export default () => {\n  console.log('a line');\n  return 1;\n};\n");
    const problems: string[] = [];
    await using host = await createHost({
      config: { plugins: root.dir, watch: false },
      onAudit: () => new Promise(() => {}),
      redact: (text) => {
        if (text === 'a line') throw new Error('no pattern');
        return text;
      },
      onProblem: ({ message }) => problems.push(message),
    });
    expect(await host.call({ name: 'it' })).toMatchObject({ ok: true, value: 1 });
    expect(problems).toEqual(['a fault in log: no pattern']);
  });

  it('answers arguments that hold themselves, under an exported name too', async () => {
    await using root = await temporaryRoot();
    await using host = await createHost({ config: { plugins: root.dir, watch: false } });
    const parameters = { type: 'object', properties: { 'a b': { type: 'object' } } } as const;
    host.tool({ name: 'text.slug', description: 'Makes a slug.', parameters }, () => 1);
    const [tool] = host.view({ allow: ['text.*'] }).tools('openai');
    const circle: Record<string, unknown> = {};
    circle['a b'] = circle;
    circle.a_b = circle;
    for (const name of ['text.slug', tool?.function.name ?? ''])
      expect(await host.call({ name, arguments: circle })).toMatchObject({
        ok: false,
        error: { code: 'invalid_arguments' },
      });
  });

  it('takes a tool by the name under which it was exported', async () => {
    await using root = await temporaryRoot();
    await writePlugin(root.dir, 'text/slug', answering('a-slug'));
    await using host = await createHost({ config: { plugins: root.dir, watch: false } });
    await host.ready;
    const [tool] = host.view({ allow: ['text.*'] }).tools('openai');
    expect(await host.call({ name: tool?.function.name ?? '', arguments: '{}' })).toMatchObject({
      ok: true,
      value: 'a-slug',
      tool: { name: 'text.slug' },
    });
  });

  it('lets a call wait for the first load', async () => {
    await using root = await temporaryRoot();
    await writePlugin(root.dir, 'early', answering('here'));
    await using host = await createHost({ config: { plugins: root.dir, watch: false } });
    expect(await host.call({ name: 'early' })).toMatchObject({ ok: true, value: 'here' });
  });

  it('refuses a function whose name is taken, and an option that does not exist', async () => {
    await using root = await temporaryRoot();
    await writePlugin(root.dir, 'taken', answering('plugin'));
    await using host = await createHost({ config: { plugins: root.dir, watch: false } });
    await host.ready;
    const parameters = { type: 'object' } as const;
    expect(() => host.tool({ name: 'taken', description: 'Takes it.', parameters }, () => 1)).toThrow(
      /taken/,
    );
    await expect(createHost({ plugin: ['x'] } as never)).rejects.toThrow(/no option "plugin"/);
    expect(() => host.view().tools('opnai' as never)).toThrow(/one of openai/);
  });

  it('says that a plugin directory is not there, and tells a model of a clash without a path of this machine', async () => {
    await using root = await temporaryRoot();
    const problems: string[] = [];
    await using host = await createHost({
      config: { plugins: `${root.dir}/none`, watch: false },
      onProblem: ({ message }) => problems.push(message),
    });
    await host.ready;
    expect(problems).toEqual([expect.stringContaining('there is no directory')]);
  });

  it('tells what a plugin threw that is no error', async () => {
    await using root = await temporaryRoot();
    await writePlugin(root.dir, 'weird', 'export default () => { throw { weird: 1 }; };\n');
    await using host = await createHost({ config: { plugins: root.dir, watch: false } });
    expect((await host.call({ name: 'weird' })).content).toContain('{"weird":1}');
  });
});

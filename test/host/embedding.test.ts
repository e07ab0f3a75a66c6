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

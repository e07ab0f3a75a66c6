import { chmod, mkdir, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConfigError, createHost } from '../../core/index.ts';
import { answer, answering, SCHEMA, temporaryRoot, writePlugin } from './temporary-plugins.ts';

const PARAMETERS = { type: 'object', properties: { text: { type: 'string' } } };

function nested(depth: number): string {
  return `{"description": "Deep.", "parameters": ${'{"type":"object","properties":{"a":'.repeat(depth)}{}${'}}'.repeat(depth)}}`;
}

const BAD_SCHEMAS: Record<string, string> = {
  empty: '',
  half_written: '{"description": "Half", "parameters": {"type": "obj',
  no_object: '[1, 2]',
  deep: nested(5_000),
  polluting:
    '{"description": "x", "parameters": {"type": "object", "properties": {"__proto__": {"type": "string"}}}}',
  unknown_dialect: JSON.stringify({
    description: 'x',
    parameters: { $schema: 'https://example.com/dialect', type: 'object' },
  }),
  remote_reference: JSON.stringify({
    description: 'x',
    parameters: { type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } },
  }),
  dangling_reference: JSON.stringify({
    description: 'x',
    parameters: { type: 'object', properties: { a: { $ref: '#/$defs/none' } } },
  }),
  wrong_limit: JSON.stringify({ ...SCHEMA, limits: { cpuMs: -1 } }),
  unknown_key: JSON.stringify({ ...SCHEMA, permisions: {} }),
};

const BAD_ENTRIES: Record<string, string> = {
  loops: 'for (;;) {}\nexport default () => 1;\n',
  throws: 'throw new Error("at load");\nexport default () => 1;\n',
  throws_null: 'throw null;\nexport default () => 1;\n',
  exports_nothing: 'const nothing = 1;\n',
  exports_a_number: 'export default 1;\n',
  no_syntax: 'export default (=> 1;\n',
  reaches_out: "import text from '../../../../../../../../etc/hostname';\nexport default () => text;\n",
  needs_a_socket: "import net from 'node:net';\nexport default () => net.connect(80);\n",
  missing_package: "import nothing from 'no-such-package-here';\nexport default () => nothing;\n",
};

describe('bad input is told clearly, and the rest keeps working', () => {
  it('reports each broken plugin and serves the good one', async () => {
    await using root = await temporaryRoot();
    await writePlugin(root.dir, 'good', answering('fine'));
    for (const [name, schema] of Object.entries(BAD_SCHEMAS))
      await writePlugin(root.dir, name, answering('never'), schema);
    for (const [name, code] of Object.entries(BAD_ENTRIES)) await writePlugin(root.dir, name, code);
    await truncate(
      path.join(await writePlugin(root.dir, 'huge', answering('never'), ' '), 'schema.json'),
      50 * 1024 * 1024,
    );
    await mkdir(path.join(root.dir, 'no_entry'));
    await writeFile(path.join(root.dir, 'no_entry', 'schema.json'), JSON.stringify(SCHEMA));
    await using host = await createHost({ config: { plugins: root.dir, watch: false } });
    await host.ready;
    expect(await answer(host, 'good')).toBe('fine');
    for (const name of [...Object.keys(BAD_SCHEMAS), ...Object.keys(BAD_ENTRIES), 'huge', 'no_entry']) {
      const entry = host.catalog.get(name);
      expect(entry, name).toMatchObject({ state: 'broken' });
      expect(entry?.problems[0]?.message, name).toMatch(/\w{3}/);
      expect(await host.call({ name }), name).toMatchObject({
        ok: false,
        error: { code: 'plugin_unavailable', outcome: 'did_not_run' },
      });
    }
    expect(host.catalog.get('reaches_out')?.problems[0]?.message).toContain('out of the plugin');
    expect(host.catalog.get('needs_a_socket')?.problems[0]).toMatchObject({
      file: 'index.js',
      line: 1,
      message: expect.stringContaining('node:net'),
    });
  }, 60_000);

  it('validates against a catastrophic pattern without blocking the host', async () => {
    await using root = await temporaryRoot();
    const schema = {
      description: 'Matches.',
      parameters: { type: 'object', properties: { text: { type: 'string', pattern: '^(a|a)*$' } } },
    };
    await writePlugin(root.dir, 'pattern', answering('matched'), schema);
    await using host = await createHost({ config: { plugins: root.dir, watch: false } });
    await host.ready;
    const began = performance.now();
    expect(await host.call({ name: 'pattern', arguments: { text: `${'a'.repeat(40)}!` } })).toMatchObject({
      ok: false,
      error: { code: 'invalid_arguments' },
    });
    expect(await host.call({ name: 'pattern', arguments: { text: 'a'.repeat(40) } })).toMatchObject({
      ok: true,
    });
    // A backtracking engine takes hours for this; the bound only tells the two apart.
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it.skipIf(process.getuid?.() === 0)('reports a directory that cannot be read', async () => {
    await using root = await temporaryRoot();
    await writePlugin(root.dir, 'good', answering('fine'));
    const closed = await writePlugin(root.dir, 'closed/inner', answering('never'));
    await chmod(path.dirname(closed), 0o000);
    const problems: string[] = [];
    await using host = await createHost({
      config: { plugins: root.dir, watch: false },
      onProblem: ({ message }) => problems.push(message),
    });
    await host.ready;
    await chmod(path.dirname(closed), 0o755);
    expect(await answer(host, 'good')).toBe('fine');
    expect(problems).toEqual([expect.stringContaining('closed')]);
  });

  it('refuses a config with an unknown key, and says which keys there are', async () => {
    const opening = createHost({ config: { plugin: './plugins' } as never });
    await expect(opening).rejects.toThrow(ConfigError);
    await expect(opening).rejects.toThrow(/Did you mean "plugins"/);
  });

  it('keeps two hosts with two configs apart', async () => {
    await using first = await temporaryRoot();
    await using second = await temporaryRoot();
    await writePlugin(first.dir, 'same', answering('one'));
    await writePlugin(second.dir, 'same', answering('two'));
    await using one = await createHost({ config: { plugins: first.dir, watch: false } });
    await using two = await createHost({ config: { plugins: second.dir, watch: false } });
    await Promise.all([one.ready, two.ready]);
    expect([await answer(one, 'same'), await answer(two, 'same')]).toEqual(['one', 'two']);
  });

  it('takes sessions and environment variables of any length', async () => {
    await using root = await temporaryRoot();
    const code =
      'export default (_args, { session }) => [session?.length, process.env.GLOVEBOX_TEST_LARGE.length];';
    const permissions = { env: ['GLOVEBOX_TEST_LARGE'] };
    await writePlugin(root.dir, 'tells', code, { ...SCHEMA, permissions });
    process.env.GLOVEBOX_TEST_LARGE = 'é'.repeat(60_000);
    await using host = await createHost({ config: { plugins: root.dir, watch: false } });
    const tell = async (session: string) => {
      const result = await host.call({ name: 'tells', arguments: {}, session });
      return result.ok ? result.value : result.content;
    };
    expect(await tell('short')).toEqual([5, 60_000]);
    expect(await tell('s'.repeat(1_000_000))).toEqual([71, 60_000]);
    delete process.env.GLOVEBOX_TEST_LARGE;
  });

  it('never lets a plugin raise a limit above the ceiling', async () => {
    await using root = await temporaryRoot();
    await writePlugin(root.dir, 'greedy', 'export default () => { for (;;) {} };\n', {
      ...SCHEMA,
      parameters: PARAMETERS,
      limits: { cpuMs: 20_000 },
    });
    await using host = await createHost({
      config: { plugins: root.dir, watch: false, limits: { cpuMs: 100 }, ceilings: { cpuMs: 200 } },
    });
    await host.ready;
    const result = await host.call({ name: 'greedy', arguments: {} });
    expect(result).toMatchObject({ ok: false, error: { code: 'cpu_limit' } });
    expect(result.usage.cpuMs).toBeLessThan(2_000);
  });
});

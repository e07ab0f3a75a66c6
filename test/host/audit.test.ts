import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AuditEntry, type ConfigInput, createHost, type HostOptions } from '../../core/index.ts';
import { answering, SCHEMA, temporaryRoot, writePlugin } from './temporary-plugins.ts';

async function openHost(dir: string, config: ConfigInput = {}, options: HostOptions = {}) {
  const file = path.join(dir, 'registry.config.json');
  await writeFile(file, JSON.stringify({ watch: false, ...config }));
  return createHost({ config: file, ...options });
}

async function readLines(file: string): Promise<AuditEntry[]> {
  const text = await readFile(file, 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('the audit of a host', () => {
  it('has a line for every call: what it was, what it used and was refused, how it ended', async () => {
    await using root = await temporaryRoot();
    const plugins = path.join(root.dir, 'plugins');
    await writeFile(path.join(root.dir, 'a.txt'), 'inside');
    const code =
      "import { readFile } from 'node:fs/promises';\nexport default ({ file }) => readFile(file, 'utf8');\n";
    await writePlugin(plugins, 'reader', code, {
      ...SCHEMA,
      parameters: { type: 'object', properties: { file: { type: 'string' } } },
      permissions: { read: ['./a.txt'] },
    });
    const heard: AuditEntry[] = [];
    {
      await using host = await openHost(root.dir, {}, { onAudit: (entry) => heard.push(entry) });
      await host.call({ name: 'reader', arguments: { file: './a.txt' }, id: 'one', session: 's' });
      await host.call({ name: 'reader', arguments: { file: './b.txt' } });
      await host.call({ name: 'reader', arguments: '{"file": 5}' });
      await host.call({ name: 'nobody' });
    }
    const lines = await readLines(path.join(root.dir, '.glovebox', 'audit.jsonl'));
    expect(lines).toEqual(heard);
    expect(lines).toMatchObject([
      {
        ...{ id: 'one', session: 's', tool: 'reader', version: expect.any(String), origin: 'plugin' },
        ...{ shape: { file: 'string(7)' }, outcome: 'ok', approval: 'approved' },
        uses: [{ capability: 'read', target: './a.txt', allowed: true, count: 1 }],
        usage: { wallMs: expect.any(Number), hostCalls: 1 },
      },
      {
        outcome: 'permission_denied',
        uses: [{ capability: 'read', target: './b.txt', allowed: false, count: 1 }],
      },
      { outcome: 'invalid_arguments', shape: { file: 'number' } },
      { tool: 'nobody', outcome: 'unknown_tool' },
    ]);
    expect(JSON.stringify(lines)).not.toContain('"arguments"');
  });

  it('holds the arguments where the config asks for them, redacted', async () => {
    await using root = await temporaryRoot();
    await writePlugin(path.join(root.dir, 'plugins'), 'it', answering('hunter2 again'));
    const audit = { path: './log/calls.jsonl', arguments: true };
    {
      await using host = await openHost(
        root.dir,
        { audit },
        { redact: (text) => text.replaceAll('hunter2', '***') },
      );
      const result = await host.call({ name: 'it', arguments: { note: 'hunter2' } });
      expect(result.content).toBe('*** again');
    }
    expect(await readLines(path.join(root.dir, 'log', 'calls.jsonl'))).toMatchObject([
      { arguments: { note: '***' } },
    ]);
  });

  it('holds what was, whatever becomes of the request and the result afterwards', async () => {
    await using root = await temporaryRoot();
    await writePlugin(path.join(root.dir, 'plugins'), 'it', answering('yes'));
    {
      await using host = await openHost(root.dir);
      const chain = ['outer'];
      const result = await host.call({ name: 'it', arguments: '"{\\"n\\": 1}"', chain });
      expect(result.repairs).toHaveLength(1);
      chain[0] = 'another';
      Object.assign(result.usage, { wallMs: -1 });
      Object.assign(result.repairs?.[0] ?? {}, { kind: 'another', path: 7 });
    }
    const [line] = await readLines(path.join(root.dir, '.glovebox', 'audit.jsonl'));
    expect(line).toMatchObject({ chain: ['outer'], repairs: ['double_encoded'] });
    expect(line?.usage.wallMs).toBeGreaterThanOrEqual(0);
  });

  it('has a line for a call whose id and session are no texts', async () => {
    await using root = await temporaryRoot();
    await writePlugin(path.join(root.dir, 'plugins'), 'it', answering('yes'));
    {
      await using host = await openHost(root.dir);
      for (const id of [null, 7, 7n, {}]) await host.call({ name: 'it', id, session: id } as never);
    }
    const lines = await readLines(path.join(root.dir, '.glovebox', 'audit.jsonl'));
    expect(lines.map(({ id }) => id)).toEqual([undefined, '7', '7', '[object Object]']);
  });

  it('writes nothing where the config says so, and by default for a config that is no file', async () => {
    await using root = await temporaryRoot();
    await writePlugin(path.join(root.dir, 'plugins'), 'it', answering('yes'));
    {
      await using host = await openHost(root.dir, { audit: false });
      await host.call({ name: 'it' });
      await using other = await createHost({
        config: { plugins: path.join(root.dir, 'plugins'), watch: false },
      });
      await other.call({ name: 'it' });
    }
    await expect(readFile(path.join(root.dir, '.glovebox', 'audit.jsonl'))).rejects.toThrow('ENOENT');
  });
});

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallResult, createHost, type Host } from '../../core/index.ts';
import { isAlive } from '../sandbox/programs.ts';
import { allowedOutcomes, writeHostilePlugin, writeNeighbour } from './hostile-plugin.ts';

const SCRIPTS = path.join(import.meta.dirname, 'scripts');
const HOST_MEMORY_BYTES = 768 * 1024 * 1024;

/** Our codes in the words of the scripts' headers. */
const MEANING: Record<string, string> = {
  timeout: 'timeout',
  cpu_limit: 'timeout',
  memory_limit: 'memory',
  output_limit: 'error',
  host_call_limit: 'error',
  invalid_result: 'error',
  tool_error: 'error',
  permission_denied: 'error',
  not_found: 'error',
  plugin_unavailable: 'error',
};

/** Globals that the guest documents beyond ECMAScript; the script that lists forbidden ones may find these. */
const DOCUMENTED_GLOBALS = new Set([
  'process',
  'fetch',
  'setTimeout',
  'setInterval',
  'queueMicrotask',
  'performance',
  'crypto',
  'navigator',
  'global',
  'Buffer',
  'setImmediate',
]);

function isAllowed(result: CallResult, allowed: readonly string[]): boolean {
  if (!result.ok) return allowed.some((outcome) => outcome.split(' ')[0] === MEANING[result.error.code]);
  return allowed.some((outcome) => {
    if (outcome === 'ok') return true;
    if (!outcome.startsWith('ok ')) return false;
    const expected: unknown = JSON.parse(outcome.slice(3));
    if (expected === 'contained' && typeof result.value === 'string' && result.value.startsWith('LEAK: ')) {
      return result.value
        .slice(6)
        .split(',')
        .every((name) => DOCUMENTED_GLOBALS.has(name));
    }
    return JSON.stringify(expected) === JSON.stringify(result.value ?? null);
  });
}

let host: Host;
let root: string;
const names = await readdir(SCRIPTS);
const pid = process.pid;

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'hostile-'));
  const scripts = await Promise.all(names.map((file) => readFile(path.join(SCRIPTS, file), 'utf8')));
  for (const [index, file] of names.entries())
    await writeHostilePlugin(root, pluginName(file), scripts[index] ?? '');
  await writeNeighbour(root);
  host = await createHost({
    config: {
      plugins: [{ dir: root, trust: 'declared' }],
      watch: false,
      // The walls are the same at any limit; shorter ones are reached sooner, in a hundred scripts.
      limits: { resultChars: 4_000, timeoutMs: 2_000, cpuMs: 400 },
    },
  });
  host.tool(
    {
      name: 'host_echo',
      description: 'Answers what it is given.',
      parameters: { type: 'object', properties: { value: {} } },
    },
    ({ value }) => value,
  );
  host.tool(
    {
      name: 'host_never',
      description: 'Never answers.',
      parameters: { type: 'object' },
      limits: { timeoutMs: 60_000 },
    },
    () => new Promise(() => {}),
  );
  await host.ready;
}, 120_000);

afterAll(async () => {
  const pids = host.workers().map((worker) => worker.pid);
  await host.close();
  expect(pids.filter(isAlive)).toEqual([]);
  await rm(root, { recursive: true, force: true });
});

function pluginName(file: string): string {
  return file.replace(/\.js$/, '').replaceAll('-', '_');
}

describe('a hostile script runs as a plugin, gets an outcome that its header allows, and harms nobody', () => {
  it('is the whole corpus', () => {
    expect(names).toHaveLength(100);
  });

  it.each(names)(
    '%s',
    async (file) => {
      const script = await readFile(path.join(SCRIPTS, file), 'utf8');
      const attack = host.call({ name: pluginName(file), arguments: { n: 1 } });
      const neighbour = await host.call({ name: 'neighbour', arguments: { n: 41 } });
      const result = await attack;
      expect(neighbour).toMatchObject({ ok: true, value: 42 });
      expect(
        isAllowed(result, allowedOutcomes(script)),
        `${result.content.slice(0, 300)} for ${allowedOutcomes(script).join(' | ')}`,
      ).toBe(true);
      expect(process.pid).toBe(pid);
      expect(Object.prototype).not.toHaveProperty('polluted');
      expect(process.memoryUsage().rss).toBeLessThan(HOST_MEMORY_BYTES);
    },
    30_000,
  );
});

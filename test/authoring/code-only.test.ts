import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createHost, type Host } from '../../core/index.ts';
import { discover } from '../../core/plugin/discover.ts';
import { answer, nextUpdate } from '../host/temporary-plugins.ts';
import {
  type Files,
  type TemporaryDirectory,
  temporaryDirectory,
  writeFiles,
} from '../plugin/temporary-plugin.ts';

const GREET = `
/** Greets somebody. Use it for greetings. */
export default function greet({ name, loud = false }: { /** Whom */ name: string; loud?: boolean }) {
  return loud ? \`HELLO \${name}\` : \`Hello \${name}\`;
}
`;

interface Started extends AsyncDisposable {
  readonly host: Host;
  readonly root: TemporaryDirectory;
}

async function start(
  files: Files,
  options: { trust?: 'granted'; watch?: boolean; root?: TemporaryDirectory } = {},
): Promise<Started> {
  const root = options.root ?? (await temporaryDirectory());
  await writeFiles(path.join(root.dir, 'plugins'), files);
  const config = path.join(root.dir, 'registry.config.json');
  const grants = options.trust === 'granted' ? { trust: 'granted' } : {};
  await writeFile(config, JSON.stringify({ plugins: [{ dir: './plugins', ...grants }], audit: false }));
  const host = await createHost({ config, watch: options.watch === true });
  await host.ready;
  const close = async () => {
    await host.close();
    if (options.root === undefined) await root[Symbol.asyncDispose]();
  };
  return { host, root, [Symbol.asyncDispose]: close };
}

const cacheOf = (root: TemporaryDirectory) => path.join(root.dir, '.glovebox/cache/schemas');

describe('a plugin that is only code', () => {
  it('has its schema from the signature: what fits runs, what does not is told', async () => {
    await using started = await start({ 'greet/index.ts': GREET });
    const { host } = started;
    expect(host.catalog.get('greet')).toMatchObject({
      state: 'ready',
      tool: {
        manifest: {
          description: 'Greets somebody. Use it for greetings.',
          parameters: {
            properties: { name: { description: 'Whom' }, loud: { default: false } },
            required: ['name'],
          },
        },
      },
    });
    expect(await host.call({ name: 'greet', arguments: { name: 'Ada', loud: true } })).toMatchObject({
      ok: true,
      value: 'HELLO Ada',
    });
    expect(await host.call({ name: 'greet', arguments: { nmae: 'Ada' } })).toMatchObject({
      ok: false,
      error: { code: 'invalid_arguments' },
    });
    expect(await readFile(path.join(started.root.dir, 'plugins/greet/schema.d.ts'), 'utf8')).toMatch(
      /interface Context/,
    );
  });

  it('is read once: from then on its schema comes from the cache, until its types change', async () => {
    await using root = await temporaryDirectory();
    const files = {
      'p/index.ts': "import type { A } from './a.ts';\n/** Does. */\nexport default (args: A) => args;",
      'p/a.ts': 'export interface A { one: string }',
    };
    const parametersOf = ({ host }: Started) => host.catalog.get('p')?.tool?.manifest.parameters;
    await (await start(files, { root }))[Symbol.asyncDispose]();
    const [entry = ''] = await readdir(cacheOf(root));
    const kept = path.join(cacheOf(root), entry);
    await writeFile(kept, (await readFile(kept, 'utf8')).replace('Does.', 'Was in the cache.'));
    await using again = await start(files, { root });
    expect(again.host.catalog.get('p')?.tool?.manifest.description).toBe('Was in the cache.');
    await writeFiles(root.dir, { 'plugins/p/a.ts': 'export interface A { two: number }' });
    await using changed = await start({}, { root });
    expect(parametersOf(changed)).toMatchObject({ properties: { two: { type: 'number' } } });
    await writeFile(kept, '{"text": 3');
    await rm(cacheOf(root), { recursive: true });
    await using anew = await start({}, { root });
    expect(parametersOf(anew)).toMatchObject({ required: ['two'] });
  });

  it.each(['granted', undefined] as const)(
    'turns zod schemas into JSON Schema inside the sandbox (trust %s)',
    async (trust) => {
      await using root = await temporaryDirectory();
      const packages = path.join(root.dir, 'plugins/search/node_modules');
      await mkdir(packages, { recursive: true });
      // A stranger brings its own packages, and no links.
      if (trust === undefined) await symlink(path.resolve('node_modules/zod'), path.join(packages, 'zod'));
      const zod = trust === undefined ? "import { z } from 'zod';" : "import { z } from './zod.js';";
      const files: Record<string, string> = {
        'search/index.ts': `${zod}
        export const parameters = z.object({ query: z.string().min(2).describe('What'), limit: z.number().int().max(50).default(10) });
        export const returns = z.array(z.string());
        export const permissions = { storage: '1MB' };
        export const limits = { timeoutMs: 2000 };
        /** Searches. Use it to find things. */
        export default async ({ query, limit }: z.infer<typeof parameters>) => [query, String(limit)];`,
      };
      if (trust === 'granted') files['search/zod.js'] = await bundledZod();
      await using started = await start(files, { root, ...(trust === undefined ? {} : { trust }) });
      const entry = started.host.catalog.get('search');
      if (trust === 'granted') {
        // Held by the lock: a stranger's schema is part of what is consented to.
        expect(entry?.state).toBe('held');
        return;
      }
      expect(entry?.tool?.manifest).toMatchObject({
        description: 'Searches. Use it to find things.',
        parameters: {
          properties: {
            query: { type: 'string', minLength: 2, description: 'What' },
            limit: { maximum: 50, default: 10 },
          },
          required: ['query'],
        },
        returns: { type: 'array', items: { type: 'string' } },
        permissions: { storage: '1MB' },
        limits: { timeoutMs: 2000 },
      });
      expect(await started.host.call({ name: 'search', arguments: { query: 'ab' } })).toMatchObject({
        ok: true,
        value: ['ab', '10'],
      });
    },
  );

  it('says at file and line what keeps it from having a schema, and hides no other', async () => {
    await using started = await start({
      'good/index.ts': GREET,
      'unknown/index.ts': '\nexport default (args: { a: Nowhere }) => 1;',
      'places/index.ts': '\n/** Adds. */\nexport default (a: number, b: number) => a + b;',
      'throws/index.ts':
        "\nexport const parameters = (() => { throw new Error('early'); })();\nexport default () => 1;",
      'loops/index.ts': 'export const parameters = { get type() { for (;;); } };\nexport default () => 1;',
      'huge/index.ts': "export const parameters = { description: 'x'.repeat(9e6) };\nexport default () => 1;",
      'wrong/index.ts':
        "export const parameters = { type: 'object' };\nexport const state = 'sometimes';\n/** Does. */\nexport default () => 1;",
      'none/index.ts': 'export const a = 1;',
    });
    const problems = Object.fromEntries(
      started.host.catalog.list().map(({ name, problems: [first] }) => [name, first]),
    );
    expect(problems).toMatchObject({
      good: undefined,
      unknown: { file: 'index.ts', line: 2, message: expect.stringContaining('Nowhere') },
      places: { file: 'index.ts', line: 3, message: expect.stringContaining('{ a, b }') },
      throws: { file: 'index.ts', line: 2, message: expect.stringContaining('early') },
      loops: { file: 'index.ts', message: expect.stringMatching(/stopped: (cpu_limit|timeout)/) },
      huge: { file: 'index.ts', message: expect.any(String) },
      wrong: { file: 'index.ts', message: expect.stringContaining('sometimes') },
      none: { file: 'index.ts' },
    });
    expect(await answer(started.host, 'good')).toContain('name');
  }, 120_000);

  it('is read by a process that reads others too, when there are many', async () => {
    let readers = 0;
    const count = (message: unknown) => {
      const { process: child } = message as { process: ChildProcess }; // of Node's own channel
      queueMicrotask(() => {
        if (child.spawnargs.some((arg) => arg.includes('derive-worker'))) readers += 1;
      });
    };
    subscribe('child_process', count);
    // Each another one: what was read once is read from the cache.
    const files = Array.from({ length: 12 }, (_, n) => [`greet${n}/index.ts`, `${GREET}// ${n}`] as const);
    await using started = await start(Object.fromEntries(files));
    unsubscribe('child_process', count);
    const ready = started.host.catalog.list().filter(({ state }) => state === 'ready');
    expect(ready.filter(({ name }) => name.startsWith('greet'))).toHaveLength(12);
    // Two at a time; one that has used up a part of its time is replaced.
    expect(readers).toBeLessThanOrEqual(4);
  });

  it('follows its edits, and gives way to a schema.json that comes', async () => {
    await using started = await start({ 'greet/index.ts': GREET }, { watch: true });
    const { host, root } = started;
    const dir = path.join(root.dir, 'plugins/greet');
    let update = nextUpdate(host, 'greet');
    await writeFile(
      path.join(dir, 'index.ts'),
      GREET.replace('name: string;', 'name: string; times?: number;'),
    );
    expect((await update).tool?.manifest.parameters).toMatchObject({
      properties: { times: { type: 'number' } },
    });
    update = nextUpdate(host, 'greet');
    await writeFile(
      path.join(dir, 'schema.json'),
      '{"description": "Written.", "parameters": {"type": "object"}}',
    );
    expect((await update).tool?.manifest.description).toBe('Written.');
    update = nextUpdate(host, 'greet');
    await rm(path.join(dir, 'schema.json'));
    expect((await update).tool?.manifest.description).toMatch(/^Greets/);
  }, 60_000);
});

describe('directories of code without a schema.json', () => {
  it('are plugins where nothing above or below them is one, and never among packages or dot folders', async () => {
    await using root = await temporaryDirectory();
    await writeFiles(root.dir, {
      'only/index.ts': '',
      'only/lib/index.ts': '',
      'marked/schema.json': '{}',
      'marked/lib/index.ts': '',
      'group/index.ts': '',
      'group/one/schema.json': '{}',
      'node_modules/p/index.js': '',
      '.git/index.js': '',
      'module/index.mjs': '',
      'other/main.ts': '',
      'index.ts': '',
    });
    const { found } = await discover(root.dir);
    expect(found.map(({ name }) => name)).toEqual(['group.one', 'marked', 'module', 'only']);
  });
});

async function bundledZod(): Promise<string> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    stdin: { contents: "export * as z from 'zod';", resolveDir: process.cwd() },
    bundle: true,
    format: 'esm',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

import { cp, open, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createHost, type Host } from '../../core/index.ts';
import { answer, answering, nextUpdate, temporaryRoot, writePlugin } from './temporary-plugins.ts';

/** Resident memory says how much was once needed; what is still held shows only after a collection. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

async function openHost(dir: string): Promise<Host> {
  const host = await createHost({ config: { plugins: dir, watch: true } });
  await host.ready;
  return host;
}

describe('hot reload', () => {
  it('registers a plugin that is copied in, and unregisters it when it is deleted', async () => {
    await using root = await temporaryRoot();
    await using staging = await temporaryRoot();
    await using host = await openHost(root.dir);
    const source = await writePlugin(staging.dir, 'late', answering('here'));
    const update = nextUpdate(host, 'late');
    await cp(source, path.join(root.dir, 'late'), { recursive: true });
    expect(await update).toMatchObject({ state: 'ready' });
    expect(await answer(host, 'late')).toBe('here');
    const removed = new Promise((resolve) => host.catalog.once('remove', resolve));
    await rm(path.join(root.dir, 'late'), { recursive: true });
    expect(await removed).toBe('late');
    expect(await host.call({ name: 'late' })).toMatchObject({ ok: false, error: { code: 'unknown_tool' } });
  });

  it('takes a change in a file that the entry imports', async () => {
    await using root = await temporaryRoot();
    const dir = await writePlugin(
      root.dir,
      'parts',
      "import { text } from './text.js';\nexport default () => text;\n",
    );
    await writeFile(path.join(dir, 'text.js'), "export const text = 'one';\n");
    await using host = await openHost(root.dir);
    expect(await answer(host, 'parts')).toBe('one');
    const update = nextUpdate(host, 'parts');
    await writeFile(path.join(dir, 'text.js'), "export const text = 'two';\n");
    await update;
    expect(await answer(host, 'parts')).toBe('two');
  });

  it('keeps the last good version of a broken edit, says so with the line, and takes the next good one', async () => {
    await using root = await temporaryRoot();
    const dir = await writePlugin(root.dir, 'edited', answering('good'));
    await writePlugin(root.dir, 'bystander', answering('still here'));
    await using host = await openHost(root.dir);
    const edit = async (code: string) => {
      const update = nextUpdate(host, 'edited');
      await writeFile(path.join(dir, 'index.js'), code);
      return update;
    };
    expect(await edit('export default () => {\n  return "x;\n};\n')).toMatchObject({
      state: 'broken',
      problems: [{ file: 'index.js', line: 2 }],
    });
    expect(await answer(host, 'edited')).toBe('good');
    expect(await edit('\nthrow new TypeError("at load");\nexport default () => 1;\n')).toMatchObject({
      state: 'broken',
      problems: [{ file: 'index.js', line: 2, message: expect.stringContaining('at load') }],
    });
    expect(await edit('for (;;) {}\nexport default () => 1;\n')).toMatchObject({ state: 'broken' });
    expect(await edit('export const nothing = 1;\n')).toMatchObject({
      state: 'broken',
      problems: [{ message: expect.stringContaining('default export') }],
    });
    expect(await answer(host, 'edited')).toBe('good');
    expect(await answer(host, 'bystander')).toBe('still here');
    expect(await edit(answering('better'))).toMatchObject({ state: 'ready', problems: [] });
    expect(await answer(host, 'edited')).toBe('better');
  });

  it('is never gone during an atomic save or while a directory is replaced, and never torn while a file is written in chunks', async () => {
    await using root = await temporaryRoot();
    await using staging = await temporaryRoot();
    const dir = await writePlugin(root.dir, 'steady', answering('version 0'));
    await using host = await openHost(root.dir);
    const seen = new Set<string>();
    let done = false;
    const caller = (async () => {
      while (!done) {
        seen.add(await answer(host, 'steady'));
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    })();
    const entry = path.join(dir, 'index.js');

    let update = nextUpdate(host, 'steady');
    await writeFile(`${entry}.new~`, answering('version 1'));
    await rename(`${entry}.new~`, entry);
    await update;

    update = nextUpdate(host, 'steady');
    const file = await open(entry, 'w');
    for (const chunk of ["export default () => 'version ", '2', " whole'", ';\n']) {
      await file.write(chunk);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await file.close();
    await update;

    update = nextUpdate(host, 'steady');
    const next = await writePlugin(staging.dir, 'steady', answering('version 3'));
    await rm(dir, { recursive: true });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await cp(next, dir, { recursive: true });
    await update;
    done = true;
    await caller;
    expect(await answer(host, 'steady')).toBe('version 3');
    expect([...seen].sort()).toEqual(
      ['version 0', 'version 1', 'version 2 whole', 'version 3'].filter((text) => seen.has(text)),
    );
  });

  it('lets a call in flight end on the version that it began with', async () => {
    await using root = await temporaryRoot();
    const dir = await writePlugin(
      root.dir,
      'slow',
      "export default async (args, ctx) => { await ctx.tools.call('gate'); return 'old'; };\n",
      {
        description: 'Waits at the gate. Use it in tests.',
        parameters: { type: 'object' },
        permissions: { tools: ['gate'] },
      },
    );
    await using host = await openHost(root.dir);
    const gate = Promise.withResolvers<string>();
    const entered = Promise.withResolvers<void>();
    host.tool({ name: 'gate', description: 'Waits.', parameters: { type: 'object' } }, () => {
      entered.resolve();
      return gate.promise;
    });
    const call = answer(host, 'slow');
    await entered.promise;
    const update = nextUpdate(host, 'slow');
    await writeFile(path.join(dir, 'index.js'), answering('new'));
    await update;
    expect(await answer(host, 'slow')).toBe('new');
    gate.resolve('open');
    expect(await call).toBe('old');
  });

  it('names both directories when a name is claimed twice, and replaces neither', async () => {
    await using root = await temporaryRoot();
    const named = { description: 'Answers. Use it in tests.', name: 'twin', parameters: { type: 'object' } };
    await writePlugin(root.dir, 'first', answering('first'), named);
    await using host = await openHost(root.dir);
    const update = new Promise((resolve) => host.catalog.once('update', resolve));
    await writePlugin(root.dir, 'second', answering('second'), named);
    await update;
    expect(await answer(host, 'twin')).toBe('first');
    const messages = host.catalog
      .list()
      .flatMap(({ name, problems }) => (name === 'twin' ? problems.map(({ message }) => message) : []));
    expect(messages).toHaveLength(2);
    for (const message of messages) {
      expect(message).toContain(path.join(root.dir, 'first'));
      expect(message).toContain(path.join(root.dir, 'second'));
    }
    await rm(path.join(root.dir, 'first'), { recursive: true });
    await expect.poll(() => answer(host, 'twin'), { timeout: 5_000 }).toBe('second');
  });

  it('serves neither of two plugins that claim one name from the start', async () => {
    await using root = await temporaryRoot();
    const named = { description: 'Answers. Use it in tests.', name: 'twin', parameters: { type: 'object' } };
    await writePlugin(root.dir, 'first', answering('first'), named);
    await writePlugin(root.dir, 'second', answering('second'), named);
    await using host = await openHost(root.dir);
    const result = await host.call({ name: 'twin' });
    expect(result).toMatchObject({ ok: false, error: { code: 'plugin_unavailable' } });
    expect(result.content).not.toContain(root.dir);
  });

  it('survives 500 reloads under concurrent calls: no unknown tool, nothing stale after the event, memory flat', async () => {
    await using root = await temporaryRoot();
    const dir = await writePlugin(root.dir, 'busy', answering('0'));
    await using host = await openHost(root.dir);
    let current = 0;
    let done = false;
    let calls = 0;
    const failures: string[] = [];
    const caller = async () => {
      while (!done) {
        const least = current;
        const result = await host.call({ name: 'busy', arguments: {} });
        calls += 1;
        if (!result.ok) failures.push(result.content);
        else if (Number(result.content) < least)
          failures.push(`${result.content} after the reload to ${least}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    const callers = [caller(), caller(), caller()];
    const memory: number[] = [];
    for (let version = 1; version <= 500; version += 1) {
      const update = nextUpdate(host, 'busy');
      await writeFile(path.join(dir, 'index.js'), answering(String(version)));
      expect(await update).toMatchObject({ state: 'ready' });
      current = version;
      if (version % 100 === 0) {
        collectGarbage();
        memory.push(process.memoryUsage().heapUsed);
      }
    }
    done = true;
    await Promise.all(callers);
    expect(failures).toEqual([]);
    expect(calls).toBeGreaterThan(500);
    expect((memory.at(-1) ?? 0) - (memory[1] ?? 0)).toBeLessThan(24 * 1_048_576);
    for (const { rssBytes } of host.workers()) expect(rssBytes).toBeLessThan(300 * 1_048_576);
  }, 180_000);
});

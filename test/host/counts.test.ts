import { createHook } from 'node:async_hooks';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createHost } from '../../core/index.ts';
import { temporaryDirectory, writeFiles } from '../plugin/temporary-plugin.ts';

/*
 * What `host.call` itself costs, in numbers that no clock can change; what crosses to the worker is in
 * test/sandbox/counts.test.ts. A bound that has to be raised is a regression: say in the commit what it buys.
 */

const CALLS = 200;

it('a warm call makes few promises, one timer, and nothing else that the event loop has to keep', async () => {
  await using root = await temporaryDirectory();
  const schema = {
    description: 'Adds one to a number. Use it in tests.',
    parameters: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    state: 'plugin',
  };
  await writeFiles(path.join(root.dir, 'plugins'), {
    'add/schema.json': JSON.stringify(schema),
    'add/index.js': 'export default ({ n }) => n + 1;',
  });
  const config = path.join(root.dir, 'registry.config.json');
  await writeFiles(root.dir, { 'registry.config.json': JSON.stringify({ plugins: ['./plugins'] }) });
  await using host = await createHost({ config, watch: false });
  for (let n = 0; n < 20; n += 1)
    expect(await host.call({ name: 'add', arguments: { n } })).toMatchObject({ value: n + 1 });
  const made = new Map<string, number>();
  const hook = createHook({ init: (_id, type) => void made.set(type, (made.get(type) ?? 0) + 1) });
  hook.enable();
  const answers = [];
  for (let n = 0; n < CALLS; n += 1) answers.push(await host.call({ name: 'add', arguments: { n } }));
  hook.disable();
  expect(answers.every(({ ok }) => ok)).toBe(true);
  const perCall = Object.fromEntries([...made].map(([type, count]) => [type, count / CALLS]));
  expect(perCall.PROMISE).toBeLessThanOrEqual(6.5);
  expect(perCall.Timeout).toBeLessThanOrEqual(1.1);
  // What writes the audit, once for all of them, and what Node does to write to a pipe.
  const others = Object.entries(perCall).filter(([type]) => type !== 'PROMISE' && type !== 'Timeout');
  expect(others.reduce((sum, [, count]) => sum + count, 0)).toBeLessThanOrEqual(1.2);
});

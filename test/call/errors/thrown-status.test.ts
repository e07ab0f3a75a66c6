import { expect, test } from 'vitest';
import { createHost } from '../../../core/index.ts';
import { temporaryRoot, writePlugin } from '../../host/temporary-plugins.ts';

test.each([
  ["Object.assign(new Error('boom'), { status: 404 })", 'not_found', 'did not find'],
  ["Object.assign(new Error('boom'), { statusCode: 403 })", 'tool_error', 'refused access'],
  [
    "Object.assign(new Error('boom'), { code: 'ERR_BAD', response: { status: 503 } })",
    'tool_error',
    'not reach',
  ],
  ["Object.assign(new Error('boom'), { code: 'ENOENT', status: 503 })", 'not_found', 'did not find'],
  ["Object.assign(new Error('boom'), { status: 200 })", 'tool_error', '"api" failed'],
  ["Object.assign(new Error('boom'), { get status() { throw 1; } })", 'tool_error', '"api" failed'],
])('a plugin that throws %s is answered with %s', async (thrown, code, words) => {
  await using root = await temporaryRoot();
  await writePlugin(root.dir, 'api', `export default async () => { throw ${thrown}; }`);
  await using host = await createHost({ config: { plugins: [root.dir] }, watch: false });
  const result = await host.call({ name: 'api', arguments: {} });
  expect(result).toMatchObject({ ok: false, error: { code } });
  expect(result.content).toContain(words);
});

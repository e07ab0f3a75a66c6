import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sandbox } from '../../core/sandbox/sandbox.ts';
import { openSandbox, program, request } from './programs.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

const tell = program('tell', "return typeof args.id + ' ' + args.id;");

test.each([
  ['12345678901234567890', 'bigint 12345678901234567890'],
  ['-9007199254740993', 'bigint -9007199254740993'],
  ['9007199254740992', 'number 9007199254740992'],
  ['12345', 'number 12345'],
  ['0.12345678901234567890', 'number 0.12345678901234568'],
  ['"12345678901234567890"', 'string 12345678901234567890'],
])('an argument %s reaches the plugin with every digit', async (written, seen) => {
  const outcome = await sandbox.run({ ...request(tell), argumentsJson: `{"id": ${written}}` });
  expect(outcome).toMatchObject({ kind: 'value', json: JSON.stringify(seen) });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { BIN, until, workspace } from './fixture.ts';

interface Answer {
  readonly id?: unknown;
  readonly error?: { readonly code: number };
  readonly result?: unknown;
}

/** `glovebox mcp`, initialised, that is fed bytes. */
async function start() {
  const dir = await workspace('test_simple_text');
  const child = spawn(process.execPath, [BIN, 'mcp'], { cwd: dir, stdio: ['pipe', 'pipe', 'ignore'] });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  const done = once(child, 'close').then(([code]) => code as number | null); // what node:child_process emits
  const answers = (): Answer[] =>
    stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Answer);
  const write = async (bytes: string | Buffer): Promise<void> => {
    if (!child.stdin.write(bytes)) await once(child.stdin, 'drain');
  };
  let id = 1_000;
  /** The server still does its work. */
  const works = async (): Promise<void> => {
    id += 1;
    const own = id;
    const params = { name: 'test_simple_text', arguments: {} };
    await write(`\n${JSON.stringify({ jsonrpc: '2.0', id: own, method: 'tools/call', params })}\n`);
    await until(() => child.exitCode !== null || answers().some((answer) => answer.id === own));
    expect(answers().find((answer) => answer.id === own)?.result).toMatchObject({
      content: [{ type: 'text', text: expect.stringContaining('simple text') }],
    });
  };
  const clientInfo = { name: 'fuzz', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  await write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  await write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  const end = async (): Promise<number | null> => {
    child.stdin.end();
    return done;
  };
  return { write, works, answers, end };
}

const call = (params: string): string =>
  `{"jsonrpc":"2.0","id":77,"method":"tools/call","params":${params}}\n`;
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

const LINES: readonly (readonly [title: string, line: string | Buffer, code: number])[] = [
  ['no JSON', 'hello\n', -32_700],
  ['half of a message', '{"jsonrpc":"2.0","id":5,"meth\n', -32_700],
  ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0xc3, 0x28, 0x7d, 0x0a]), -32_700],
  ['a lone surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22, 0x0a]), -32_700],
  ['nothing but NUL', '\0\0\0\n', -32_700],
  ['a line of 9 MB', `"${'x'.repeat(9_000_000)}"\n`, -32_700],
  ['a line of 40 MB without an end for long', `${' '.repeat(40_000_000)}\n`, -32_700],
  ['lists in lists, 100,000 deep', `${nested(100_000)}\n`, -32_700],
  ['objects in objects, 1,000,000 deep, never closed', `${'{"a":'.repeat(1_000_000)}\n`, -32_700],
  ['arguments 50,000 deep', call(`{"name":"test_simple_text","arguments":{"a":${nested(50_000)}}}`), -32_700],
  ['an empty batch', '[]\n', -32_600],
  ['a batch', '[{"jsonrpc":"2.0","id":6,"method":"ping"}]\n', -32_600],
  ['a batch of 100,000', `[${Array(100_000).fill('1').join(',')}]\n`, -32_600],
  ['a number', '42\n', -32_600],
  ['null', 'null\n', -32_600],
  ['another version', '{"jsonrpc":"1.0","id":6,"method":"ping"}\n', -32_600],
  ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}\n', -32_600],
  ['a method that is a number', '{"jsonrpc":"2.0","id":6,"method":9}\n', -32_600],
  ['a method that there is not', '{"jsonrpc":"2.0","id":6,"method":"no/such"}\n', -32_601],
  [
    'params of __proto__',
    '{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"__proto__":{"name":"x"}}}\n',
    -32_602,
  ],
  ['a tool named constructor', call('{"name":"constructor"}'), -32_602],
  ['a tool with a name of 1 MB', call(`{"name":"${'n'.repeat(1_000_000)}"}`), -32_602],
  ['arguments that are text', call('{"name":"test_simple_text","arguments":"{}"}'), -32_602],
  [
    'a cursor that is none of ours',
    '{"jsonrpc":"2.0","id":6,"method":"tools/list","params":{"cursor":"x"}}\n',
    -32_602,
  ],
  ['a requestState that is none of ours', call('{"name":"test_simple_text","requestState":"x"}'), -32_602],
];

/** Nothing of it may be answered with more than an error, and nothing must be. */
const QUIET: readonly (readonly [title: string, line: string])[] = [
  ['empty lines', '\n\r\n  \n'],
  ['an answer to no question', '{"jsonrpc":"2.0","id":99,"result":{}}\n'],
  ['an error to no question', '{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"m"}}\n'],
  ['a notification that there is not', '{"jsonrpc":"2.0","method":"notifications/nothing"}\n'],
  [
    'a cancellation of nothing',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":404}}\n',
  ],
  ['a cancellation without an id', '{"jsonrpc":"2.0","method":"notifications/cancelled"}\n'],
  [
    'progress of nothing',
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}\n',
  ],
];

describe('glovebox mcp, fed with', () => {
  test('each kind of wrong line, answers it with an error and serves on', async () => {
    const { write, works, answers, end } = await start();
    for (const [title, line, code] of LINES) {
      // What is no error answers `initialize`, or is news.
      const errors = () => answers().filter(({ error }) => error !== undefined);
      const before = errors().length;
      await write(line);
      await until(() => errors().length > before);
      expect(errors().at(-1)?.error?.code, title).toBe(code);
    }
    for (const [, line] of QUIET) await write(line);
    await works();
    expect(await end()).toBe(0);
  }, 60_000);

  test('U+2028 inside of a line, takes it for what it is: no end of it', async () => {
    const { write, works, answers, end } = await start();
    await write('{"jsonrpc":"2.0","id":"a\u2028b\u2029c","method":"ping"}\n');
    await until(() => answers().some(({ id }) => id === 'a\u2028b\u2029c'));
    await works();
    expect(await end()).toBe(0);
  });

  test('a message in pieces of one byte, puts it together', async () => {
    const { write, works, answers, end } = await start();
    for (const byte of Buffer.from('{"jsonrpc":"2.0","id":"ü","method":"ping"}\r\n'))
      await write(Buffer.from([byte]));
    await until(() => answers().some(({ id }) => id === 'ü'));
    await works();
    expect(await end()).toBe(0);
  });

  test('3,000 requests at once, answers each of them once', async () => {
    const { write, works, answers, end } = await start();
    const ids = Array.from({ length: 3_000 }, (_, index) => `r${index}`);
    await write(ids.map((id) => `{"jsonrpc":"2.0","id":"${id}","method":"tools/list"}\n`).join(''));
    await until(() => answers().filter(({ id }) => String(id).startsWith('r')).length >= ids.length);
    const answered = answers().map(({ id }) => id);
    expect(answered.filter((id) => String(id).startsWith('r')).sort()).toEqual([...ids].sort());
    await works();
    expect(await end()).toBe(0);
  });

  test('3,000 mutations of good messages, with a fixed seed, serves on', async () => {
    const { write, works, end } = await start();
    const random = seeded(20_261_130);
    for (let round = 0; round < 3_000; round++) {
      await write(mutate(Buffer.from(SEEDS[round % SEEDS.length] ?? ''), random));
      await write('\n');
    }
    await works();
    expect(await end()).toBe(0);
  }, 60_000);
});

const SEEDS: readonly string[] = [
  '{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"YWZ0ZXI6YQ"}}',
  '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"test_simple_text","arguments":{"n":1},"_meta":{"progressToken":"p","traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}}',
  '{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"test://a"}}',
  '{"jsonrpc":"2.0","id":6,"method":"prompts/get","params":{"name":"p","arguments":{"a":"b"}}}',
  '{"jsonrpc":"2.0","id":7,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"b"}}}',
  '{"jsonrpc":"2.0","id":8,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["test://a"]}}}',
  '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4,"reason":"r"}}',
  '{"jsonrpc":"2.0","id":9,"method":"logging/setLevel","params":{"level":"debug"}}',
];

function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const SPLINTERS = [
  '\u2028',
  '\\u0000',
  '[',
  '{',
  '"',
  '}',
  '1e999',
  '-0',
  'null',
  '\ud800',
  '__proto__',
  '\\ud800',
];

function mutate(bytes: Buffer, random: (below: number) => number): Buffer {
  let mutated = bytes;
  for (let edits = 1 + random(4); edits > 0; edits--) {
    const at = random(mutated.length + 1);
    const to = Math.min(mutated.length, at + random(6));
    const piece = [
      Buffer.from([random(256)].filter((byte) => byte !== 10)),
      Buffer.from(SPLINTERS[random(SPLINTERS.length)] ?? ''),
      mutated.subarray(random(mutated.length + 1)),
    ][random(3)];
    mutated = Buffer.concat([mutated.subarray(0, at), piece ?? Buffer.alloc(0), mutated.subarray(to)]);
  }
  return mutated;
}

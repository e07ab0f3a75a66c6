import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** What the server is to do; read anew at each list, so that a test can change it while the server runs. */
export interface FixtureScript {
  readonly tools: readonly unknown[];
  /** `silent`: never answers. `exit`: ends at once. `exit_at_probe`: ends at any request before `initialize`. */
  readonly start?: 'silent' | 'exit' | 'exit_at_probe' | 'garbage';
  /** Every pid of the server and its children is written there. */
  readonly pidFile?: string;
  readonly startsChild?: boolean;
}

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly cursor?: string;
    readonly requestId?: number;
    readonly _meta?: { readonly progressToken?: number };
  };
  readonly error?: { readonly code: number };
}

const [, , scriptFile = ''] = process.argv;
const script = (): FixtureScript => JSON.parse(readFileSync(scriptFile, 'utf8'));
const send = (message: object): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
};
const cancelled: unknown[] = [];
/** Answers of the client to what the server asked. */
let lastAnswer: unknown = 'none';

const { start, pidFile, startsChild } = script();
if (pidFile !== undefined) {
  appendFileSync(pidFile, `${process.pid}\n`);
  if (startsChild === true) {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
    appendFileSync(pidFile, `${child.pid}\n`);
  }
}
if (start === 'exit') {
  process.stderr.write('the configuration is missing\n');
  process.exit(3);
}
if (start === 'garbage') for (let line = 0; line < 2_000; line += 1) process.stdout.write(`noise ${line}\n`);

const TOOLS: Readonly<Record<string, (message: Message) => object | undefined>> = {
  die: () => process.exit(1),
  hang: () => undefined,
  raw_arguments: ({ params }) => text(rawLine.match(/"arguments":(\{.*?\})/)?.[1] ?? JSON.stringify(params)),
  huge: () => text('x'.repeat(20 * 1024 * 1024)),
  fails: () => ({ content: [{ type: 'text', text: 'the disk is full, try fewer files' }], isError: true }),
  refuses: () => {
    throw new Error('no such city');
  },
  structured: ({ params }) => ({ content: [], structuredContent: params?.arguments ?? {} }),
  odd_content: () => ({ content: [{ type: 'hologram' }, { type: 'text', text: 'still here' }] }),
  environment: () => text(JSON.stringify(process.env)),
  what_was_cancelled: () => text(JSON.stringify(cancelled)),
  change: () => {
    send({ method: 'notifications/tools/list_changed' });
    return text('changed');
  },
  asks: ({ id }) => {
    send({ id: 'ask', method: 'elicitation/create', params: { message: 'who?', requestedSchema: {} } });
    setTimeout(() => send({ id, result: text(JSON.stringify(lastAnswer)) }), 200);
    return undefined;
  },
  progress: ({ params }) => {
    const progressToken = params?._meta?.progressToken;
    send({
      method: 'notifications/progress',
      params: { progressToken, progress: 1, total: 2, message: 'half' },
    });
    return text('done');
  },
};

function text(value: string): object {
  return { content: [{ type: 'text', text: value }] };
}

const PAGE = 1_000;

function answer(message: Message): void {
  const { id, method, params, error } = message;
  if (id === 'ask') {
    lastAnswer = error ?? message;
    return;
  }
  if (method === 'notifications/cancelled') cancelled.push(params?.requestId);
  if (id === undefined) return;
  if (start === 'silent') return;
  if (method === 'initialize') {
    const serverInfo = { name: 'fixture', version: '1' };
    send({
      id,
      result: { protocolVersion: '2025-06-18', capabilities: { tools: { listChanged: true } }, serverInfo },
    });
    return;
  }
  if (start === 'exit_at_probe' && method === 'server/discover') process.exit(1);
  if (method === 'tools/list') {
    const from = Number(params?.cursor ?? 0);
    const { tools } = script();
    const nextCursor = from + PAGE < tools.length ? { nextCursor: String(from + PAGE) } : {};
    send({ id, result: { tools: tools.slice(from, from + PAGE), ...nextCursor } });
    return;
  }
  const tool = method === 'tools/call' ? TOOLS[params?.name ?? ''] : undefined;
  if (tool === undefined) {
    send({ id, error: { code: -32601, message: 'Method not found' } });
    return;
  }
  try {
    const result = tool(message);
    if (result !== undefined) send({ id, result });
  } catch (thrown) {
    send({ id, error: { code: -32602, message: thrown instanceof Error ? thrown.message : '' } });
  }
}

let rawLine = '';
createInterface({ input: process.stdin }).on('line', (line) => {
  rawLine = line;
  answer(JSON.parse(line));
});

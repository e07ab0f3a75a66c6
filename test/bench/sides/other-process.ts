import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expectAnswer, type Side } from '../race.ts';
import type { RawKind } from './raw.ts';

export const child = (name: string): string => path.join(import.meta.dirname, '../children', name);

/** One round trip over `child_process.fork`'s channel and one piece of raw isolated-vm behind it. */
export async function openForked(name: string, kind: RawKind | 'echo'): Promise<ForkedSide> {
  const process = fork(child('forked.ts'), [kind], { execArgv: ['--no-node-snapshot', '--no-warnings'] });
  await once(process, 'message');
  return new ForkedSide(name, process);
}

/** A plugin's code in a process of its own, with nothing around it. */
export async function openPlainProcess(codeFile: string): Promise<ForkedSide> {
  const process = fork(child('plain.mjs'), [codeFile], { execArgv: ['--no-warnings'] });
  await once(process, 'message');
  return new ForkedSide('plain', process);
}

export class ForkedSide implements Side {
  readonly name: string;
  readonly #process: ChildProcess;
  #resolve: ((answer: unknown) => void) | undefined;

  constructor(name: string, process: ChildProcess) {
    this.name = name;
    this.#process = process;
    process.on('message', (answer) => this.#resolve?.(answer));
  }

  async call(n: number): Promise<void> {
    expectAnswer(this.name, await this.ask(n), n + 1);
  }

  ask(message: number | string): Promise<unknown> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#process.send(message);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const over = once(this.#process, 'exit');
    this.#process.kill();
    await over;
  }
}

/** An MCP server over stdio and `tools/call` through the official client. */
export async function openMcp(): Promise<Side> {
  const name = 'MCP server over stdio';
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ['--no-warnings', child('mcp-server.ts')],
      stderr: 'inherit',
    }),
  );
  await client.listTools();
  return {
    name,
    async call(n) {
      const { content } = await client.callTool({ name: 'add_one', arguments: { n } });
      const [first] = content;
      expectAnswer(name, first?.type === 'text' ? first.text : undefined, String(n + 1));
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

export function openWorkerThread(): Side {
  const name = 'worker_threads, a thread a call';
  return {
    name,
    share: 0.1,
    async call(n) {
      const worker = new Worker(child('thread.mjs'), { workerData: n });
      const [answer] = await once(worker, 'message');
      expectAnswer(name, answer, n + 1);
      await worker.terminate();
    },
    async [Symbol.asyncDispose]() {},
  };
}

export function openChildProcess(): Side {
  const name = 'a child process a call';
  const run = promisify(execFile);
  return {
    name,
    share: 0.04,
    async call(n) {
      const { stdout } = await run(process.execPath, [child('process.mjs'), JSON.stringify({ n })]);
      expectAnswer(name, Number(stdout), n + 1);
    },
    async [Symbol.asyncDispose]() {},
  };
}

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';

export const BIN = path.resolve('bin/glovebox.js');
export const ERAS = ['legacy', 'modern'] as const;
export type Era = (typeof ERAS)[number];

const PLUGINS = path.resolve('test/fixtures/mcp-conformance/plugins');

/** A folder with plugins, gone after the test. */
export async function workspace(...copied: readonly string[]): Promise<string> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'glovebox-serve-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  await mkdir(path.join(dir, 'plugins'));
  for (const name of copied)
    await cp(path.join(PLUGINS, name), path.join(dir, 'plugins', name), { recursive: true });
  await writeFile(path.join(dir, 'registry.config.json'), '{}');
  return dir;
}

export async function writeTool(dir: string, name: string, code: string, schema: object = {}): Promise<void> {
  const folder = path.join(dir, 'plugins', name);
  await mkdir(folder, { recursive: true });
  const parameters = { type: 'object', properties: { n: { type: 'integer' } } };
  await writeFile(
    path.join(folder, 'schema.json'),
    JSON.stringify({ description: 'A tool of a test.', parameters, ...schema }),
  );
  await writeFile(path.join(folder, 'index.js'), code);
}

export function clientOf(era: Era, options: ClientOptions = {}): Client {
  const mode = era === 'legacy' ? 'legacy' : { pin: '2026-07-28' };
  return new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode }, ...options });
}

/** The official client, at `glovebox mcp` as a process of its own. */
export async function connect(
  dir: string,
  era: Era,
  options: ClientOptions & { readonly args?: readonly string[]; readonly client?: Client } = {},
): Promise<Client> {
  const { args = [], client = clientOf(era, options) } = options;
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [BIN, 'mcp', ...args],
      cwd: dir,
      stderr: 'ignore',
    }),
  );
  onTestFinished(() => client.close());
  return client;
}

export interface Serving {
  readonly url: string;
  readonly process: ChildProcessWithoutNullStreams;
  /** The exit code, once it has ended. */
  readonly ended: Promise<number | null>;
}

/** `glovebox serve` as a process of its own, at a port that was free. */
export async function serve(
  dir: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Serving> {
  const child = spawn(process.execPath, [BIN, 'serve', '--port', '0', ...args], {
    cwd: dir,
    env: { ...process.env, ...env },
  });
  child.stdin.end();
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  let shown = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
      const [found] = /http:\/\/\S+\/mcp/.exec(shown) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.on('close', () => reject(new Error(`it ended: ${shown}`)));
  });
  return { url, process: child, ended };
}

export const textOf = (result: { readonly content?: unknown }): string =>
  (result.content as { text?: string }[]).map(({ text }) => text ?? '').join('\n');

/** Resolves when the condition holds; the test's own time-out is the bound. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';

export const BIN = path.join(import.meta.dirname, '../../bin/glovebox.js');

export interface CliOptions {
  readonly cwd: string;
  readonly stdin?: string;
  /** Added to the environment of the tests; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** For node itself, before the script. */
  readonly nodeFlags?: readonly string[];
}

export interface CliResult {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCli {
  readonly process: ChildProcess;
  readonly done: Promise<CliResult>;
  /** Resolves when stdout and stderr together hold the text as often as this. */
  shows(text: string, times?: number): Promise<void>;
}

/** The real command line as a process of its own. */
export function startCli(args: readonly string[], options: CliOptions): RunningCli {
  const child = spawn(process.execPath, [...(options.nodeFlags ?? []), BIN, ...args], {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (data: string) => {
    stdout += data;
  });
  child.stderr.setEncoding('utf8').on('data', (data: string) => {
    stderr += data;
  });
  child.stdin.end(options.stdin ?? '');
  const done = new Promise<CliResult>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  const shows = (text: string, times = 1) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if ((stdout + stderr).split(text).length > times) resolve();
      };
      child.stdout.on('data', look);
      child.stderr.on('data', look);
      child.on('close', () => reject(new Error(`ended without "${text}": ${stdout}${stderr}`)));
      look();
    });
  return { process: child, done, shows };
}

export function runCli(args: readonly string[], options: CliOptions): Promise<CliResult> {
  return startCli(args, options).done;
}

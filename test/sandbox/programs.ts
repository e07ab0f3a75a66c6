import { createHash } from 'node:crypto';
import { DEFAULT_LIMITS, type Limits } from '../../core/config/limits.ts';
import { createSandbox, type SandboxOptions } from '../../core/sandbox/create-sandbox.ts';
import type { Broker, Sandbox, SandboxProgram, SandboxRun } from '../../core/sandbox/sandbox.ts';

export const OPTIONS: SandboxOptions = {
  workers: 2,
  maxProcesses: 8,
  idleMs: 30_000,
  workerMemoryMb: 512,
  jitless: 'never',
  quarantine: { deaths: 3, windowMs: 60_000 },
};

export function openSandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  return createSandbox({ ...OPTIONS, ...options });
}

/** A program whose default function has this body; `args` and `ctx` are its parameters. */
export function program(
  name: string,
  body: string,
  more: Partial<SandboxProgram> & { before?: string } = {},
): SandboxProgram {
  const { before = '', ...rest } = more;
  const code = `var __plugin = (() => { ${before}\n return { default: async function (args, ctx) {\n${body}\n} }; })();`;
  const version = createHash('sha256').update(code).digest('hex');
  return { name, version, code, state: 'fresh', isolation: 'shared', ...rest };
}

export const echo: Broker = async ({ params }) => ({ ok: true, json: params });

export function request(
  target: SandboxProgram,
  args: unknown = {},
  more: Partial<Omit<SandboxRun, 'limits'>> & { limits?: Partial<Limits> } = {},
): SandboxRun {
  const { limits, ...rest } = more;
  return {
    program: target,
    argumentsJson: JSON.stringify(args),
    repeatable: false,
    env: {},
    broker: echo,
    ...rest,
    limits: { ...DEFAULT_LIMITS, ...limits },
  };
}

/** Does the process still exist? A zombie that nobody has waited for counts as gone to a caller of `kill`. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

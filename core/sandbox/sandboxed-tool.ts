import type { Tool } from '../catalog/tool.ts';
import type { Limits } from '../config/limits.ts';
import type { Manifest } from '../plugin/manifest.ts';
import type { Sandbox, SandboxProgram } from './sandbox.ts';

export interface SandboxedToolParts {
  readonly manifest: Manifest;
  readonly version: string;
  readonly program: SandboxProgram;
  /** Limits in force. */
  readonly limits: Limits;
  /** Turns a stack of the bundle into `index.ts:12`. */
  readonly locate: (stack: string) => string | undefined;
}

/** A plugin version as a tool: its calls run behind the wall. */
export function createSandboxedTool(sandbox: Sandbox, parts: SandboxedToolParts): Tool {
  const { manifest, version, program, limits, locate } = parts;
  const repeatable = manifest.annotations.readOnly === true || manifest.annotations.idempotent === true;
  return {
    manifest,
    version,
    origin: 'plugin',
    limits,
    locate,
    run: ({ argumentsJson, session, signal, env, broker, onLog, onProgress }) =>
      sandbox.run({
        program,
        limits,
        repeatable,
        argumentsJson,
        session,
        signal,
        env,
        broker,
        onLog,
        onProgress,
      }),
  };
}

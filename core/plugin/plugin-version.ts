import type { Kind } from '../catalog/offer.ts';
import type { SandboxProgram } from '../sandbox/sandbox.ts';
import type { Manifest, Warning } from './manifest.ts';
import type { LoadProblem } from './problem.ts';

export type Trust = 'declared' | 'granted';

/** One version of one plugin, ready to be called. */
export interface PluginVersion {
  readonly dir: string;
  readonly trust: Trust;
  readonly manifest: Manifest;
  /** Hash of code, description, schema and permissions. */
  readonly version: string;
  /** What consent is given to: SHA-256 of each part, the same on every machine that has the same files. */
  readonly digests: Digests;
  readonly program: SandboxProgram;
  readonly warnings: readonly Warning[];
  /** Files outside the directory that are part of it (packages), absolute. */
  readonly outside: readonly string[];
  readonly locate: (stack: string) => string | undefined;
  /** Source map of the code, JSON; its sources are relative to `dir`. */
  readonly map?: string;
}

export interface Digests {
  /** Of every file that was bundled, packages included, and of what their imports led to. */
  readonly code: string;
  readonly description: string;
  /** Of schema.json as it was read: parameters, returns, limits and all else. */
  readonly schema: string;
  readonly permissions: string;
}

export type LoadResult<Version = PluginVersion> =
  | { readonly ok: true; readonly plugin: Version }
  | {
      readonly ok: false;
      readonly kind: Kind;
      /** The id, as `PluginVersion.manifest.name` would be. */
      readonly name: string;
      readonly problems: readonly LoadProblem[];
      /** Does an import name a package that isn't installed? */
      readonly lacksPackage: boolean;
    };

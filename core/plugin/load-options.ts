import type { Evaluate } from '../authoring/from-code/read-exports.ts';
import type { Limits } from '../config/limits.ts';
import type { ProbeOutcome, SandboxProgram } from '../sandbox/sandbox.ts';
import type { BuildCache } from './build-cache.ts';
import type { Manifest } from './manifest.ts';
import type { Trust } from './plugin-version.ts';

/** What a load goes by; those of resources and prompts leave alone what they have no use for. */
export interface LoadOptions {
  readonly dir: string;
  readonly defaultName: string;
  readonly trust: Trust;
  readonly limitsOf: (manifest: Manifest) => Limits;
  readonly probe: (program: SandboxProgram, limits: Limits) => Promise<ProbeOutcome>;
  /** Reads what a plugin without a schema.json exports. Absent: there must be a schema.json. */
  readonly evaluate?: Evaluate | undefined;
  /** Where schemas that were read out of code are kept, absolute. @defaultValue they are not */
  readonly cacheDir?: string | undefined;
  /** Hash of the whole directory as it was read last, for what is kept of its builds. */
  readonly contents?: string | undefined;
  /** Where builds are kept. @defaultValue they are not */
  readonly builds?: BuildCache | undefined;
  /** Write schema.d.ts, where the plugin is the operator's own. @defaultValue true */
  readonly writesTypes?: boolean;
}

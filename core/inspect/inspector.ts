import type { Tool } from '../catalog/tool.ts';
import type { Limits } from '../config/limits.ts';
import type { PluginVersion } from '../plugin/plugin-version.ts';
import { type InspectServer, startInspectServer } from './inspect-server.ts';
import { InspectedProgram } from './inspected-program.ts';

export interface InspectOptions {
  /** Name of the plugin. */
  readonly plugin: string;
  /** Where Chrome DevTools can attach; once. */
  readonly onAddress: (url: string) => void;
  /** Why it is not inspected. */
  readonly onRefused: (reason: string) => void;
}

/** No timer counts further. */
const NO_DEADLINE_MS = 2_147_483_647;

/** Runs one plugin by name so that Chrome DevTools can attach to it; each new version takes the place of the old one. */
export class Inspector {
  readonly #options: InspectOptions;
  readonly #versions = new Set<InspectedProgram>();
  #server: Promise<InspectServer> | undefined;

  constructor(options: InspectOptions) {
    this.#options = options;
  }

  /** Is it this one? A stranger's is refused: what an inspector needs is weaker than the wall. */
  wants({ manifest, trust }: PluginVersion): boolean {
    const { plugin, onRefused } = this.#options;
    if (manifest.name !== plugin) return false;
    if (trust === 'declared') return true;
    onRefused(`${plugin} is under trust "granted": under an inspector it would run behind a weaker wall`);
    return false;
  }

  /** The tool of a version, without deadlines; and what frees it. */
  open(plugin: PluginVersion, limits: Limits): { readonly tool: Tool; readonly close: () => void } {
    const program = new InspectedProgram(plugin, limits);
    this.#versions.add(program);
    void this.#serve(program);
    const free: Limits = { ...limits, timeoutMs: NO_DEADLINE_MS, cpuMs: NO_DEADLINE_MS };
    const { manifest, version, locate } = plugin;
    const tool: Tool = {
      ...{ manifest, version, origin: 'plugin', limits: free, locate },
      run: (run) => program.run({ ...run, program: plugin.program, limits: free, repeatable: false }),
    };
    return {
      tool,
      close: () => {
        void program.retire().then(() => this.#versions.delete(program));
      },
    };
  }

  async close(): Promise<void> {
    const server = await this.#server?.catch(() => undefined);
    await server?.close();
    await Promise.all([...this.#versions].map((program) => program.close()));
  }

  async #serve(program: InspectedProgram): Promise<void> {
    const { plugin, onAddress, onRefused } = this.#options;
    try {
      const isFirst = this.#server === undefined;
      this.#server ??= startInspectServer(plugin);
      const server = await this.#server;
      server.use(program);
      if (isFirst) onAddress(server.url);
    } catch (error) {
      onRefused(`the inspector can not listen: ${error instanceof Error ? error.message : 'unknown reason'}`);
    }
  }
}

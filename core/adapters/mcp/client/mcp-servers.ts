import type { SourceUpdate } from '../../../catalog/catalog.ts';
import { type Config, lockPathOf, resolveLimits } from '../../../config/index.ts';
import { type Lock, type LockSubject, openLock } from '../../../permissions/index.ts';
import type { LoadProblem } from '../../../plugin/problem.ts';
import { serverSubject } from './consent.ts';
import { McpServer } from './mcp-server.ts';

export interface McpServersOptions {
  readonly config: Pick<Config, 'mcpServers' | 'limits' | 'ceilings' | 'baseDir' | 'file' | 'locale'>;
  /** Where the tools go. */
  readonly apply: (updates: readonly SourceUpdate[]) => void;
  readonly onProblem?: (problem: LoadProblem) => void;
  /** @defaultValue the host's */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** See `McpServerOptions`. @defaultValue 500 */
  readonly firstPauseMs?: number;
}

/** A list of many tools is longer than any result. */
const LEAST_MESSAGE_BYTES = 16 * 1024 * 1024;

/** All servers of `mcpServers`: their tools in the catalogue, each server for itself. */
export class McpServers {
  readonly #servers: readonly McpServer[];

  /** Starts them at once; nothing waits for them but `settled`. */
  constructor({ config, apply, onProblem, env = process.env, firstPauseMs }: McpServersOptions) {
    const lock: Lock = openLock(lockPathOf(config), { locale: config.locale });
    this.#servers = config.mcpServers.map((settings) => {
      const { limits } = resolveLimits(config.limits, config.ceilings, { timeoutMs: settings.timeoutMs });
      return new McpServer({
        settings,
        lock,
        limits,
        route: {
          baseDir: config.baseDir,
          env,
          maxMessageBytes: Math.max(LEAST_MESSAGE_BYTES, 2 * limits.resultBytes),
        },
        publish: apply,
        tell: (problem) => onProblem?.(problem),
        ...(firstPauseMs === undefined ? {} : { firstPauseMs }),
      });
    });
  }

  /** Resolves when each server has been started once, with or without success. */
  async settled(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.settled));
  }

  /** Waits for the first start of the server whose tool this could be. */
  async waitFor(toolName: string): Promise<void> {
    const wanted = legalised(toolName);
    const starting = this.#servers.filter(
      (server) => server.isStarting && wanted.startsWith(`${legalised(server.name)}_`),
    );
    await Promise.all(starting.map((server) => server.settled));
  }

  /** Why a tool of this name is not there, if its server is the reason; for a model. */
  troubleOf(toolName: string): string | undefined {
    const server = this.#servers.find(({ name }) => toolName.startsWith(`${name}.`));
    return server?.trouble === undefined ? undefined : 'its server is not running';
  }

  /** What can be consented to: `github` is all that this server lists, `github.create_issue` one of it. */
  subjects(name: string): readonly LockSubject[] {
    return this.#servers.flatMap((server) => {
      const tools = server.tools().map(({ subject }) => subject);
      if (server.name === name) return [serverSubject(name), ...tools];
      return tools.filter(({ manifest }) => manifest.name === name);
    });
  }

  /** registry.lock.json has changed: what was held may serve, and the other way round. */
  recheck(): void {
    for (const server of this.#servers) server.recheck().catch(() => undefined);
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.close()));
  }
}

/** As the exports make names legal. */
function legalised(name: string): string {
  return name.replace(/[^\w-]/g, '_').toLowerCase();
}

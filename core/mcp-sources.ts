import type { McpServers, McpServersOptions } from './adapters/mcp/client/index.ts';

/** The MCP servers of a config. What speaks their protocol is only loaded where there is one. */
export class McpSources {
  readonly #servers: Promise<McpServers> | undefined;
  #loaded: McpServers | undefined;

  constructor(options: McpServersOptions) {
    if (options.config.mcpServers.length > 0) this.#servers = this.#load(options);
  }

  /** Resolves when each server has been started once, with or without success. */
  async settled(): Promise<void> {
    await (await this.#servers)?.settled();
  }

  /** Waits for the first start of the server whose tool this could be. */
  async waitFor(toolName: string): Promise<void> {
    await (await this.#servers)?.waitFor(toolName);
  }

  /** Why a tool of this name is not there, if its server is the reason; for a model. */
  troubleOf(toolName: string): string | undefined {
    return this.#loaded?.troubleOf(toolName);
  }

  /** What was consented to has changed. */
  recheck(): void {
    this.#loaded?.recheck();
  }

  async close(): Promise<void> {
    await (await this.#servers)?.close();
  }

  async #load(options: McpServersOptions): Promise<McpServers> {
    const { McpServers } = await import('./adapters/mcp/client/index.ts');
    this.#loaded = new McpServers(options);
    return this.#loaded;
  }
}

import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { CatalogEntry } from '../../../../core/catalog/catalog.ts';
import type { McpServerInput } from '../../../../core/config/index.ts';
import { createHost, type Host } from '../../../../core/host.ts';
import type { HostOptions } from '../../../../core/host-options.ts';
import type { FixtureScript } from './fixture-server.ts';

const SERVER = path.join(import.meta.dirname, 'fixture-server.ts');

export const tool = (name: string, more: object = {}): object => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' },
  ...more,
});

export interface Workspace {
  readonly dir: string;
  /** A server that does what its script says; written anew, it does the new thing. */
  readonly server: (script: FixtureScript, more?: McpServerInput) => Promise<McpServerInput>;
  readonly host: (
    mcpServers: Readonly<Record<string, McpServerInput>>,
    options?: Omit<HostOptions, 'config'>,
  ) => Promise<Host>;
}

export async function workspace(): Promise<Workspace> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'glovebox-mcp-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const file = path.join(dir, 'registry.config.json');
  return {
    dir,
    async server(script, more = {}) {
      const scriptFile = path.join(dir, 'script.json');
      await writeFile(scriptFile, JSON.stringify(script));
      return { command: process.execPath, args: [SERVER, scriptFile], ...more };
    },
    async host(mcpServers, options = {}) {
      await writeFile(file, JSON.stringify({ plugins: [], mcpServers }));
      const host = await createHost({ config: file, ...options });
      onTestFinished(() => host.close());
      await host.ready;
      return host;
    },
  };
}

/** The entry as soon as it is as wanted; a change in the catalogue is looked at once. */
export function eventually(
  host: Host,
  name: string,
  isWanted: (entry: CatalogEntry | undefined) => boolean,
): Promise<CatalogEntry | undefined> {
  return new Promise((resolve) => {
    const look = (): void => {
      const entry = host.catalog.get(name);
      if (!isWanted(entry)) return;
      host.catalog.off('change', look);
      resolve(entry);
    };
    host.catalog.on('change', look);
    look();
  });
}

export async function pidsIn(file: string): Promise<readonly number[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean).map(Number);
}

/** One that has ended and waits to be collected is not alive. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

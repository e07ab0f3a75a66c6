import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import {
  type CallResult,
  type ConfigInput,
  createHost,
  type Host,
  type HostOptions,
} from '../../core/index.ts';
import { PLUGINS_DIR } from './by-import.ts';

export interface Shipped extends AsyncDisposable {
  /** Where the config lies: paths of the plugins start here. */
  readonly dir: string;
  readonly host: Host;
  call(name: string, args?: Record<string, unknown>): Promise<CallResult>;
}

/**
 * Shipped plugins as an operator would set them up: copied, with permissions that suit the place. The folder is inside
 * the checkout, so that their packages are found.
 */
export async function openShipped(
  permissions: Readonly<Record<string, Record<string, unknown>>>,
  options: Omit<HostOptions, 'config'> = {},
  config: ConfigInput = {},
): Promise<Shipped> {
  const dir = await mkdtemp(path.join(import.meta.dirname, 'shipped-'));
  for (const [name, permission] of Object.entries(permissions)) {
    const to = path.join(dir, 'plugins', name);
    await cp(path.join(PLUGINS_DIR, name), to, { recursive: true });
    const file = path.join(to, 'schema.json');
    const schema = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>; // a file of ours
    await writeFile(
      file,
      JSON.stringify({ ...schema, permissions: { ...Object(schema.permissions), ...permission } }),
    );
  }
  const file = path.join(dir, 'registry.config.json');
  await writeFile(file, JSON.stringify({ plugins: './plugins', watch: false, audit: false, ...config }));
  const host = await createHost({ config: file, ...options });
  await host.ready;
  return {
    dir,
    host,
    call: (name, args = {}) => host.call({ name, arguments: args }),
    async [Symbol.asyncDispose]() {
      await host.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

export async function serve(listener: RequestListener): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

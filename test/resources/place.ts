import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type ConfigInput, createHost, type Host, type HostOptions } from '../../core/index.ts';
import { temporaryRoot } from '../host/temporary-plugins.ts';

/** Folders with plugins, and hosts over them. */
export interface Place extends AsyncDisposable {
  readonly dir: string;
  /** Writes files below `plugins/`; what is no text is written as JSON. */
  write(files: Readonly<Record<string, unknown>>): Promise<void>;
  open(options?: Omit<HostOptions, 'config'>, config?: ConfigInput): Promise<Host>;
}

export async function openPlace(files: Readonly<Record<string, unknown>> = {}): Promise<Place> {
  const root = await temporaryRoot();
  const place: Place = {
    dir: root.dir,
    [Symbol.asyncDispose]: () => root[Symbol.asyncDispose](),
    async write(more) {
      for (const [name, content] of Object.entries(more)) {
        const file = path.join(root.dir, 'plugins', name);
        await mkdir(path.dirname(file), { recursive: true });
        const isRaw = typeof content === 'string' || content instanceof Uint8Array;
        await writeFile(file, isRaw ? content : JSON.stringify(content, null, 2));
      }
    },
    async open(options = {}, config = {}) {
      const file = path.join(root.dir, 'registry.config.json');
      await writeFile(file, JSON.stringify({ plugins: './plugins', audit: false, ...config }));
      const host = await createHost({ config: file, watch: false, ...options });
      await host.ready;
      return host;
    },
  };
  await mkdir(path.join(root.dir, 'plugins'));
  await place.write(files);
  return place;
}

/** Resolves when the condition holds; the test's own time limit is the end of it. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}

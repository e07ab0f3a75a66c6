import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ConfigInput, Host } from 'glovebox';
import { createHost } from 'glovebox';

export interface BenchPlugin {
  readonly name: string;
  readonly code: string;
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** A directory with a config and plugins, gone when it is disposed of. */
export class Workshop implements AsyncDisposable {
  readonly dir: string;
  readonly configFile: string;

  private constructor(dir: string) {
    this.dir = dir;
    this.configFile = path.join(dir, 'registry.config.json');
  }

  static async open(plugins: readonly BenchPlugin[], config: ConfigInput = {}): Promise<Workshop> {
    const workshop = new Workshop(await mkdtemp(path.join(tmpdir(), 'glovebox-bench-')));
    await workshop.configure(config);
    for (const plugin of plugins) await workshop.write(plugin);
    return workshop;
  }

  configure(config: ConfigInput): Promise<void> {
    const whole: ConfigInput = { plugins: [{ dir: './plugins', trust: 'declared' }], ...config };
    return writeFile(this.configFile, JSON.stringify(whole));
  }

  async write({ name, code, schema = NUMBER_SCHEMA }: BenchPlugin): Promise<void> {
    const dir = path.join(this.dir, 'plugins', name);
    await mkdir(dir, { recursive: true });
    await writeFile(path.join(dir, 'schema.json'), JSON.stringify(schema));
    await writeFile(path.join(dir, 'index.js'), code);
  }

  codeFile(plugin: string): string {
    return path.join(this.dir, 'plugins', plugin, 'index.js');
  }

  async host(options: { readonly watch?: boolean } = {}): Promise<Host> {
    const host = await createHost({ config: this.configFile, watch: options.watch ?? false });
    await host.ready;
    return host;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return rm(this.dir, { recursive: true, force: true });
  }
}

export const NUMBER_SCHEMA = {
  description: 'Adds one to a number. Use it in benchmarks. Example: {"n": 1}.',
  parameters: {
    type: 'object',
    properties: { n: { type: 'integer' } },
    required: ['n'],
    additionalProperties: false,
  },
  annotations: { readOnly: true },
};

export const ADD_ONE = 'export default ({ n }) => n + 1;\n';

/** Calls and gives the content; throws when the call failed. */
export async function answerOf(host: Host, name: string, args: unknown): Promise<string> {
  const result = await host.call({ name, arguments: args });
  if (!result.ok) throw new Error(`${name}: ${result.content}`);
  return result.content;
}

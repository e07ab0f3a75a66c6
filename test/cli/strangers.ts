import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type CliOptions, type CliResult, runCli } from './run-cli.ts';

export const WEATHER = {
  description: 'Tells the weather. Use it in tests.',
  parameters: { type: 'object', properties: {} },
  permissions: { net: ['GET https://api.example.com/*'], storage: '1MB' },
};
export const PLAIN = {
  description: 'Answers. Use it in tests.',
  parameters: { type: 'object', properties: {} },
};

export const answers = (text: string) => `export default () => ${JSON.stringify(text)};\n`;

/** A working directory with a config, and the real command line in it. */
export async function workplace(config: unknown = { plugins: ['./plugins'], audit: false }) {
  const dir = await mkdtemp(path.join(tmpdir(), 'glovebox-test-'));
  const at = (...names: string[]) => path.join(dir, ...names);
  await mkdir(at('plugins'));
  if (config !== undefined) {
    const text = typeof config === 'string' ? config : `${JSON.stringify(config, null, 2)}\n`;
    await writeFile(at('registry.config.json'), text);
  }
  return {
    dir,
    at,
    glovebox: (args: readonly string[], options: Partial<CliOptions> = {}): Promise<CliResult> =>
      runCli(args, { cwd: dir, ...options }),
    /** Writes files, making the folders that they lie in. */
    async write(files: Readonly<Record<string, unknown>>): Promise<void> {
      for (const [name, content] of Object.entries(files)) {
        await mkdir(path.dirname(at(name)), { recursive: true });
        await writeFile(
          at(name),
          typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
        );
      }
    },
    read: (name: string) => readFile(at(name), 'utf8'),
    config: async () => JSON.parse(await readFile(at('registry.config.json'), 'utf8')),
    /** Everything that adding could change, by name. */
    async snapshot(): Promise<Readonly<Record<string, string>>> {
      const names = (await readdir(dir, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile() || entry.isDirectory())
        .map((entry) => [path.join(entry.parentPath, entry.name), entry.isFile()] as const);
      const contents = names.map(async ([file, isFile]) => [
        path.relative(dir, file),
        isFile ? (await readFile(file)).toString('base64') : 'folder',
      ]);
      return Object.fromEntries(await Promise.all(contents));
    },
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

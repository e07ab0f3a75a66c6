import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const PLUGINS_DIR = path.join(import.meta.dirname, '../../plugins');

export const pluginNames: readonly string[] = readdirSync(PLUGINS_DIR, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

/** Those that ask for no capability: their logic can be tried outside the sandbox. */
export const purePluginNames: readonly string[] = pluginNames.filter((name) => {
  return readSchema(name).permissions === undefined;
});

/** The plugin's own function, as plain JavaScript outside the sandbox: for its logic only. */
export async function importPlugin(
  name: string,
): Promise<(args: Record<string, unknown>) => Promise<unknown>> {
  // What a plugin exports is only known at run time.
  const module = (await import(path.join(PLUGINS_DIR, name, 'index.ts'))) as {
    default: (args: unknown) => unknown;
  };
  return async (args) => module.default(args);
}

export interface SchemaFile {
  readonly examples: readonly { readonly arguments: Record<string, unknown>; readonly result?: unknown }[];
  readonly permissions?: { readonly tools?: readonly string[] };
}

export function readSchema(name: string): SchemaFile {
  // The plugin loader checks the file's shape; here a wrong one fails the test.
  return JSON.parse(readFileSync(path.join(PLUGINS_DIR, name, 'schema.json'), 'utf8')) as SchemaFile;
}

export function readExamples(name: string): SchemaFile['examples'] {
  return readSchema(name).examples;
}

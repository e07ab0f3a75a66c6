import { stat } from 'node:fs/promises';
import path from 'node:path';
import { draftFromOpenApi } from '../authoring/openapi/draft-from-openapi.ts';
import { finishPlugin, type PluginDraft } from '../authoring/scaffold/draft.ts';
import { draftFromFunction } from '../authoring/scaffold/from-function.ts';
import { readPluginName } from '../authoring/scaffold/plugin-name.ts';
import { starterDraft } from '../authoring/scaffold/starter.ts';
import { writePlugin } from '../authoring/scaffold/write-plugin.ts';
import { formatConfigProblems, readConfig } from '../config/index.ts';
import { ConfigError } from '../host-options.ts';
import { ExitCode, UsageError } from './exit-code.ts';
import { relative } from './find-plugins.ts';
import { note, oneLine, print } from './output.ts';
import { printable } from './printable.ts';

export interface NewOptions {
  readonly js?: boolean;
  readonly from?: string;
  readonly fromOpenapi?: string;
  readonly server?: string;
  readonly dir?: string;
  readonly config?: string;
}

/** `glovebox new NAME`. */
export async function create(text: string, options: NewOptions): Promise<number> {
  const named = readPluginName(text);
  if (!named.ok) throw new UsageError(named.message);
  if (options.from !== undefined && options.fromOpenapi !== undefined)
    throw new UsageError('--from and --from-openapi are two ways: give one of them');
  if (options.server !== undefined && options.fromOpenapi === undefined)
    throw new UsageError('--server goes with --from-openapi');
  const place = await placeOf(options);
  const draft = await draftOf(named.name, options);
  const finished = await finishPlugin(
    draft,
    named.name,
    await schemaLink(path.join(place.root, ...named.parts), place.base),
  );
  if (!finished.ok) throw new UsageError(finished.message);
  const written = await writePlugin(place.root, named.parts, finished.files);
  if (!written.ok) throw new UsageError(written.message);
  const files = [...finished.files.keys()].map((file) => oneLine(relative(path.join(written.dir, file))));
  await print(`${files.join('\n')}\n`);
  // What was made is the result, for a script too; what to do with it is for a person, and comes below it.
  for (const each of finished.notes) note(printable(each));
  if (!place.isConfigured)
    note(`${oneLine(relative(place.root))} is in no config: add it to "plugins" in registry.config.json.`);
  note(`Next: npx glovebox test ${named.name}, npx glovebox dev`);
  return ExitCode.ok;
}

interface Place {
  readonly root: string;
  readonly base: string;
  /** Is the folder one that the config names? */
  readonly isConfigured: boolean;
}

async function placeOf({ dir, config }: NewOptions): Promise<Place> {
  const read = await readConfig(config);
  if (!read.ok) throw new ConfigError(formatConfigProblems(read), read.problems);
  const { plugins, baseDir } = read.config;
  const own = plugins.find(({ trust }) => trust === 'declared') ?? plugins[0];
  const root = dir === undefined ? own?.dir : path.resolve(dir);
  if (root === undefined) throw new UsageError('the config names no folder of plugins: say which with --dir');
  return { root, base: baseDir, isConfigured: plugins.some((source) => source.dir === root) };
}

async function draftOf(name: string, options: NewOptions): Promise<PluginDraft> {
  const isJavaScript = options.js === true;
  if (options.fromOpenapi !== undefined) {
    const { file, part } = await splitReference(options.fromOpenapi);
    const { server } = options;
    const made = await draftFromOpenApi({
      ...{ file, operation: part, name, isJavaScript },
      ...(server === undefined ? {} : { server }),
    });
    if (!made.ok) throw new UsageError(printable(made.message));
    return made.draft;
  }
  if (options.from === undefined) return starterDraft(name, isJavaScript);
  const { file, part } = await splitReference(options.from);
  const isScript = /\.[cm]?jsx?$/.test(file);
  const made = await draftFromFunction({
    ...{ file, name },
    isJavaScript: isJavaScript || isScript,
    ...(part === undefined ? {} : { exportName: part }),
  });
  if (!made.ok) throw new UsageError(printable(made.message));
  return made.draft;
}

/** `FILE#part`; a file's own name may have a `#` in it. */
export async function splitReference(reference: string): Promise<{ file: string; part: string | undefined }> {
  if (await isFile(reference)) return { file: path.resolve(reference), part: undefined };
  for (let at = reference.indexOf('#'); at >= 0; at = reference.indexOf('#', at + 1)) {
    const file = reference.slice(0, at);
    if (await isFile(file)) return { file: path.resolve(file), part: reference.slice(at + 1) || undefined };
  }
  throw new UsageError(`there is no file ${printable(reference.split('#')[0] ?? reference)}`);
}

function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (info) => info.isFile(),
    () => false,
  );
}

/** Where an editor finds the schema of schema.json: in the installed package, if it is part of the project. */
async function schemaLink(dir: string, base: string): Promise<string | undefined> {
  for (const folder of ['node_modules/glovebox/schemas', 'schemas']) {
    const file = path.join(base, folder, 'plugin.schema.json');
    if (await isFile(file)) return path.relative(dir, file).split(path.sep).join('/');
  }
  return undefined;
}

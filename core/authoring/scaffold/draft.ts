import { minimalExample } from '../../call/minimal-example.ts';
import type { Manifest } from '../../plugin/manifest.ts';
import { readManifest } from '../../plugin/read-manifest.ts';
import { generateTypes, TYPES_FILE } from '../../plugin/types.ts';
import { isRecord } from '../../schema/pointer.ts';
import { compileValidator } from '../../schema/validator.ts';

/** A plugin that is not written yet. */
export interface PluginDraft {
  /** In the keys of schema.json. */
  readonly manifest: Readonly<Record<string, unknown>>;
  /** Code, by path relative to the plugin's directory. */
  readonly files: ReadonlyMap<string, string>;
  /** The test, once there is an example for it to call. */
  readonly test: TestDraft;
  /** What its author should know. */
  readonly notes: readonly string[];
}

export interface TestDraft {
  readonly file: string;
  readonly text: (example: Example) => string;
}

export interface Example {
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
}

export type FinishedPlugin =
  | { readonly ok: true; readonly files: ReadonlyMap<string, string>; readonly notes: readonly string[] }
  | { readonly ok: false; readonly message: string };

/** Puts all of its files together: what is written loads, and its example fits its schema. */
export async function finishPlugin(
  draft: PluginDraft,
  name: string,
  schemaLink: string | undefined,
): Promise<FinishedPlugin> {
  const read = readManifest(JSON.stringify(draft.manifest), { name });
  if (!read.ok)
    return { ok: false, message: read.problems.map(({ path, message }) => `${path} ${message}`).join('\n') };
  const { manifest } = read;
  const example = await findExample(manifest);
  if (example === undefined)
    return { ok: false, message: 'no example can be made for its parameters: write one with @example {...}' };
  const withExample = {
    ...(schemaLink === undefined ? {} : { $schema: schemaLink }),
    ...draft.manifest,
    description: describe(manifest, example),
    // A schema that was put right is written as it is read.
    parameters: manifest.parameters,
    examples: manifest.examples.length > 0 ? manifest.examples : [example],
  };
  const files = new Map([
    ['schema.json', `${JSON.stringify(withExample, null, 2)}\n`],
    ...draft.files,
    [TYPES_FILE, await generateTypes(manifest)],
    [draft.test.file, draft.test.text(example)],
  ]);
  return { ok: true, files, notes: draft.notes };
}

async function findExample(manifest: Manifest): Promise<Example | undefined> {
  const [written] = manifest.examples;
  if (written !== undefined) return written;
  const compiled = await compileValidator(manifest.parameters);
  if (!compiled.ok) return undefined;
  const text = minimalExample(manifest, (value) => compiled.validator.validate(value).length === 0);
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return isRecord(value) ? { arguments: value } : undefined;
}

/** A model chooses by the description: an example in it helps. */
function describe({ description }: Manifest, example: Example): string {
  if (/example|e\.g\./i.test(description)) return description;
  return `${description} Example: ${JSON.stringify(example.arguments)}.`.trim();
}

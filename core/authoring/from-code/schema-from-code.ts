import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Limits } from '../../config/limits.ts';
import type { BundleResult } from '../../plugin/bundle.ts';
import type { LoadProblem } from '../../plugin/problem.ts';
import { type DerivationAnswer, deriveSignature } from '../signature/derive.ts';
import type { SignatureProblem } from '../signature/problem.ts';
import type { Signature } from '../signature/signature.ts';
import { type Evaluate, readExports } from './read-exports.ts';
import { type DerivedSchema, SchemaCache } from './schema-cache.ts';

export interface CodeSchemaRequest {
  /** Absolute directory of the plugin. */
  readonly dir: string;
  /** Relative to it. */
  readonly entry: string;
  readonly name: string;
  /** Written by strangers: nothing outside its directory is read. */
  readonly isStranger: boolean;
  /** What was made of it already. */
  readonly bundle: Extract<BundleResult, { ok: true }>;
  readonly limits: Limits;
  readonly evaluate: Evaluate;
  /** Absolute; absent: nothing is kept. */
  readonly cacheDir?: string;
}

export type CodeSchema =
  | {
      readonly ok: true;
      /** As a schema.json would have it. */
      readonly text: string;
      readonly warnings: readonly string[];
      /** Files outside the directory that it was read out of, absolute. */
      readonly outside: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly LoadProblem[] };

/**
 * The schema of a plugin that has no schema.json: what it exports (`parameters`, `description`, ... with zod or as JSON
 * Schema), and for the rest the signature and the comment of its function.
 */
export async function schemaFromCode(request: CodeSchemaRequest): Promise<CodeSchema> {
  const { dir, entry, isStranger, bundle, cacheDir } = request;
  const cache = cacheDir === undefined ? undefined : new SchemaCache(cacheDir);
  // A new file can take the place of one that an import found, so the names count too.
  const names = (await readdir(dir).catch(() => [])).filter((name) => /\.[cm]?[jt]sx?$/.test(name)).sort();
  const content = [entry, String(isStranger), bundle.hash, JSON.stringify(names)];
  const kept = await cache?.get(content);
  const derived = kept ?? (await derive(request));
  if ('problems' in derived) return { ok: false, problems: derived.problems };
  if (kept === undefined) await cache?.put(content, derived);
  const outside = derived.inputs.map(([file]) => file).filter((file) => !file.startsWith(dir + path.sep));
  return { ok: true, text: derived.text, warnings: derived.warnings, outside };
}

type Derived = DerivedSchema | { readonly problems: readonly LoadProblem[] };

async function derive(request: CodeSchemaRequest): Promise<Derived> {
  const { dir, entry, isStranger, name, limits, evaluate, bundle } = request;
  const hasZod = [...bundle.inputs.keys()].some((file) => /(^|\/)node_modules\/zod\//.test(file));
  const exported = await readExports({
    ...{ dir, entry, name, limits, evaluate, hasZod },
    packagesAbove: !isStranger,
    isolation: isStranger ? 'dedicated' : 'shared',
  });
  if (!exported.ok) return exported;
  const { values } = exported;
  const isComplete = 'parameters' in values && 'description' in values;
  if (isComplete) return { text: textOf(values), warnings: [], inputs: [] };
  const docsOnly = 'parameters' in values;
  const answer = await deriveSignature({
    file: path.join(dir, entry),
    exportName: 'default',
    docsOnly,
    ...(isStranger ? { confineTo: dir } : {}),
  });
  if (answer.ok) return merge(request, values, answer);
  // The function may be made by a call, so that no comment is found; the schema is known all the same.
  if (docsOnly) return { text: textOf(values), warnings: [], inputs: [] };
  return { problems: [place(dir, entry, answer.problem)] };
}

function merge(
  { entry, dir }: CodeSchemaRequest,
  values: Readonly<Record<string, unknown>>,
  { signature, inputs }: Extract<DerivationAnswer, { ok: true }>,
): Derived {
  if (signature.style === 'positional')
    return { problems: [place(dir, entry, { line: signature.line, message: explainPlaces(signature) })] };
  return {
    text: textOf({ ...manifestOf(signature), ...values }),
    warnings: signature.warnings,
    // A comment is in files that are bundled, and those count already.
    inputs: 'parameters' in values ? [] : inputs,
  };
}

/** A signature in the keys of schema.json; what is empty is left out. */
export function manifestOf(signature: Signature): Record<string, unknown> {
  const { title, description, parameters, returns, examples, annotations } = signature;
  return {
    ...(title === undefined ? {} : { title }),
    description,
    parameters,
    ...(returns === undefined ? {} : { returns }),
    ...(examples.length === 0 ? {} : { examples }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

function explainPlaces({ places }: Signature): string {
  const names = places.filter(({ kind }) => kind !== 'context').map(({ name }) => name);
  return `takes its arguments one after the other; a plugin's function takes one object: \`export default function ({ ${names.join(', ')} }: { ... }, ctx)\`. \`glovebox new NAME --from FILE\` makes a plugin of it as it is.`;
}

function place(dir: string, entry: string, { file, line, column, message }: SignatureProblem): LoadProblem {
  return {
    file: file === undefined ? entry : path.relative(dir, file),
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    message,
  };
}

function textOf(values: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(values, null, 2)}\n`;
}

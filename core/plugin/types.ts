import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { compile } from 'json-schema-to-typescript';
import type { JsonSchema, Manifest } from './manifest.ts';

export const TYPES_FILE = 'schema.d.ts';

const BANNER = '// Generated from schema.json by glovebox; edit that instead.\n';

const CONTEXT = `
/** The second argument of the plugin's function. */
export interface Context {
  /** Aborted when the caller gives up. */
  readonly signal: AbortSignal;
  /** The caller's session, if it has one. */
  readonly session: string | undefined;
  /** Tells the caller how far the work is. */
  progress(value: unknown): void;
  readonly log: {
    debug(...values: unknown[]): void;
    info(...values: unknown[]): void;
    warn(...values: unknown[]): void;
    error(...values: unknown[]): void;
  };
  readonly tools: { call(name: string, args?: unknown): Promise<unknown> };
  readonly storage: {
    get(key: string): Promise<unknown>;
    set(key: string, value: unknown): Promise<void>;
    delete(key: string): Promise<boolean>;
    keys(prefix?: string): Promise<string[]>;
  };
}
`;

/** The text of schema.d.ts: `Arguments`, `Result` where there is a \`returns\`, and `Context`. */
export async function generateTypes(manifest: Manifest): Promise<string> {
  const types = await compileSchema(manifest.parameters, 'Arguments');
  const result = manifest.returns === undefined ? '' : await compileSchema(manifest.returns, 'Result');
  const names = [...declaredNames(types), ...declaredNames(result), 'Context'];
  if (new Set(names).size === names.length) return `${BANNER}\n${types}${result}${CONTEXT}`;
  // A definition has the name of one of ours, or of one on the other side.
  return `${BANNER}\n${enclose(types, 'Arguments')}${enclose(result, 'Result')}${CONTEXT}`;
}

function declaredNames(types: string): string[] {
  return [...types.matchAll(/^export (?:interface|type|enum) (\w+)/gm)].map(([, name = '']) => name);
}

function enclose(types: string, name: string): string {
  if (types === '') return '';
  return `export declare namespace ${name}Types {\n${types}}\nexport type ${name} = ${name}Types.${name};\n`;
}

/** Writes schema.d.ts, whole or not at all, if it differs. */
export async function writeTypes(dir: string, manifest: Manifest): Promise<'written' | 'unchanged'> {
  const file = path.join(dir, TYPES_FILE);
  const text = await generateTypes(manifest);
  const old = await readFile(file, 'utf8').catch(() => undefined);
  if (old === text) return 'unchanged';
  const temporary = path.join(dir, `.${TYPES_FILE}.${process.pid}.tmp`);
  await writeFile(temporary, text);
  await rename(temporary, file);
  return 'written';
}

async function compileSchema(schema: JsonSchema, name: string): Promise<string> {
  const { title: _title, $id: _id, id: _oldId, ...rest } = schema;
  // The generator changes what it is given.
  return compile(structuredClone(rest) as Parameters<typeof compile>[0], name, {
    bannerComment: '',
    format: false,
    additionalProperties: schema.additionalProperties !== false,
    // No reference may be followed to a file or a server.
    $refOptions: { resolve: { file: false, http: false, external: false } },
  });
}

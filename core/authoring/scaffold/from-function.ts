import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { manifestOf } from '../from-code/schema-from-code.ts';
import { deriveSignature } from '../signature/derive.ts';
import type { Signature } from '../signature/signature.ts';
import type { PluginDraft } from './draft.ts';
import { toIdentifier, toTitle } from './plugin-name.ts';
import { exampleTest, propertyName, quote } from './test-text.ts';

export type FunctionDraft =
  | { readonly ok: true; readonly draft: PluginDraft }
  | { readonly ok: false; readonly message: string };

export interface FunctionRequest {
  /** Absolute. */
  readonly file: string;
  readonly exportName?: string;
  /** The plugin's. */
  readonly name: string;
  readonly isJavaScript: boolean;
}

const GENERATED = new Set([
  'schema.json',
  'schema.d.ts',
  'index.ts',
  'index.js',
  'index.mjs',
  'index.test.ts',
  'index.test.js',
]);

/** A plugin around a function as it is: its file and what that imports are copied, and an index calls it. */
export async function draftFromFunction(request: FunctionRequest): Promise<FunctionDraft> {
  const { file, exportName, name, isJavaScript } = request;
  const answer = await deriveSignature({ file, ...(exportName === undefined ? {} : { exportName }) });
  if (!answer.ok) return { ok: false, message: describe(file, answer.problem) };
  const { signature, inputs } = answer;
  const copied = await copyOf(
    file,
    inputs.map(([input]) => input),
    name,
  );
  if (!copied.ok) return copied;
  const own = name.split('.').at(-1) ?? name;
  const manifest = manifestOf(signature);
  const draft: PluginDraft = {
    manifest: {
      title: toTitle(own),
      ...manifest,
      description: signature.description || `Runs ${signature.name ?? own}.`,
    },
    files: new Map([
      [isJavaScript ? 'index.js' : 'index.ts', indexText(signature, exportName, copied.main, isJavaScript)],
      ...copied.files,
    ]),
    test: exampleTest(isJavaScript),
    notes: [
      ...signature.warnings,
      ...(signature.description === ''
        ? ['The function has no comment: say in schema.json what it does, when to use it and when not.']
        : []),
    ],
  };
  return { ok: true, draft };
}

function describe(
  file: string,
  { line, message, file: where = file }: { file?: string; line?: number; message: string },
) {
  const place = path.relative(process.cwd(), where);
  return `${place}${line === undefined ? '' : `:${line}`}: ${message}`;
}

type Copied =
  | { readonly ok: true; readonly main: string; readonly files: ReadonlyMap<string, string> }
  | { readonly ok: false; readonly message: string };

/** The file and what it imports by path, as far as that lies below its folder. Packages stay packages. */
async function copyOf(file: string, inputs: readonly string[], name: string): Promise<Copied> {
  const folder = path.dirname(file);
  const files = new Map<string, string>();
  const base = path.basename(file);
  const main = GENERATED.has(base)
    ? `${toIdentifier(name.split('.').at(-1) ?? name)}_function${path.extname(base)}`
    : base;
  for (const input of inputs) {
    if (input.split(path.sep).includes('node_modules') || path.basename(input) === 'package.json') continue;
    const relative = path.relative(folder, input);
    if (relative.startsWith('..'))
      return {
        ok: false,
        message: `it imports ${relative}, which is outside its folder: a plugin has all of its code in one`,
      };
    if (input !== file && GENERATED.has(relative))
      return {
        ok: false,
        message: `it imports ./${relative}, a name that a plugin has for something else: rename that file`,
      };
    files.set(input === file ? main : relative, await readFile(input, 'utf8'));
  }
  return { ok: true, main, files };
}

function indexText(
  signature: Signature,
  exportName: string | undefined,
  main: string,
  isJavaScript: boolean,
): string {
  const { style, places, isDefaultExport, name } = signature;
  const isDefault = exportName === undefined ? isDefaultExport : exportName === 'default';
  const imported = exportName ?? name ?? 'run';
  const local = isDefault ? toIdentifier(name ?? path.parse(main).name) : imported;
  const from = `import ${isDefault ? local : `{ ${imported} }`} from ${quote(`./${main}`)};`;
  if (style === 'object') return `${from}\n\nexport default ${local};\n`;
  const needsContext = places.some(({ kind }) => kind === 'context');
  const given = places.map(({ name: place, kind }) => {
    if (kind === 'context') return 'ctx';
    return kind === 'rest' ? `...(${argument(place)} ?? [])` : argument(place);
  });
  const call = `  return ${local}(${given.join(', ')});`;
  if (isJavaScript)
    return `${from}\n\n/** @param {import('./schema.d.ts').Arguments} args */\nexport default function (args${needsContext ? ', ctx' : ''}) {\n${call}\n}\n`;
  const types = needsContext ? 'Arguments, Context' : 'Arguments';
  return `${from}\nimport type { ${types} } from './schema.d.ts'; // written for you from schema.json\n\nexport default function (args: Arguments${needsContext ? ', ctx: Context' : ''}) {\n${call}\n}\n`;
}

function argument(name: string): string {
  const key = propertyName(name);
  return key === name ? `args.${name}` : `args[${key}]`;
}

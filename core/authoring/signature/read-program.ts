import path from 'node:path';
import { compiler, type ts } from './compiler.ts';
import { problemIn, SignatureError } from './problem.ts';
import { SourceFiles } from './source-files.ts';

const OPTIONS: ts.CompilerOptions = {
  target: compiler.ScriptTarget.ESNext,
  // No DOM: a value of it is never an argument, and reading it costs half a second.
  lib: ['lib.esnext.d.ts'],
  module: compiler.ModuleKind.ESNext,
  moduleResolution: compiler.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  allowJs: true,
  checkJs: false,
  noEmit: true,
  resolveJsonModule: true,
  skipLibCheck: true,
  strict: true,
  types: [],
};

export interface ReadProgram {
  readonly program: ts.Program;
  readonly source: ts.SourceFile;
  readonly inputs: ReadonlyMap<string, string>;
}

/** Parses a file and what it imports. Nothing of it runs. */
export function readProgram(
  file: string,
  confineTo: string | undefined,
  virtual: ReadonlyMap<string, string> = new Map(),
): ReadProgram {
  const files = new SourceFiles({ virtual, ...(confineTo === undefined ? {} : { confineTo }) });
  const program = compiler.createProgram({
    rootNames: [file, ...virtual.keys()],
    options: OPTIONS,
    host: files.host(OPTIONS),
  });
  const source = program.getSourceFile(file);
  if (source === undefined)
    throw new SignatureError({ file, message: `${path.basename(file)} can't be read as code` });
  const [wrong] = program.getSyntacticDiagnostics(source);
  if (wrong !== undefined)
    throw new SignatureError(
      problemIn(source, wrong.start, compiler.flattenDiagnosticMessageText(wrong.messageText, ' ')),
    );
  return { program, source, inputs: files.inputs };
}

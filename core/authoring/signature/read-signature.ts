import { isRecord } from '../../schema/pointer.ts';
import { compiler, type ts } from './compiler.ts';
import { readParameterText } from './constraints.ts';
import { findFunction } from './find-function.ts';
import { positionOf } from './inline-comments.ts';
import { SignatureError } from './problem.ts';
import { type Docs, readDocs } from './read-docs.ts';
import { readParameters } from './read-parameters.ts';
import { type ReadProgram, readProgram } from './read-program.ts';
import type { Signature } from './signature.ts';
import { TypeSchemas } from './type-schemas.ts';

export interface SignatureRequest {
  /** Absolute. */
  readonly file: string;
  /** Of the exported function. @defaultValue the default export, or the only function */
  readonly exportName?: string;
  /** A folder out of which nothing is read. */
  readonly confineTo?: string;
  /** Only the comment counts: what the arguments are is known from elsewhere. */
  readonly docsOnly?: boolean;
}

export interface SignatureReading {
  readonly signature: Signature;
  /** Files that it was read out of, absolute, with their SHA-256. */
  readonly inputs: readonly (readonly [string, string])[];
}

const NO_PARAMETERS = { style: 'object', places: [], parameters: {} } as const;
const ANNOTATIONS: Readonly<Record<string, string>> = {
  readonly: 'readOnly',
  destructive: 'destructive',
  idempotent: 'idempotent',
  openworld: 'openWorld',
};

/** @throws SignatureError where no schema can be told from the code. */
export function readSignature(request: SignatureRequest): SignatureReading {
  const { file, exportName, confineTo, docsOnly = false } = request;
  const read = readProgram(file, confineTo);
  const checker = read.program.getTypeChecker();
  const { declaration, name, documented } = findFunction(checker, read.source, exportName);
  const docs = readDocs(documented);
  const warnings: string[] = [];
  const warn = (message: string) => warnings.push(message);
  const title = docs.tags.find((tag) => tag.name === 'title')?.text;
  const returns = docsOnly ? undefined : readReturns(read, declaration, docs, warn);
  const exports = checker.getSymbolAtLocation(read.source)?.exports;
  const signature: Signature = {
    ...(name === undefined ? {} : { name }),
    ...(title === undefined || title === '' ? {} : { title }),
    ...(docsOnly ? NO_PARAMETERS : readParameters({ read, declaration, docs, confineTo, warn })),
    ...(returns === undefined ? {} : { returns }),
    description: docs.description,
    examples: readExamples(docs),
    annotations: readAnnotations(docs),
    isDefaultExport: exports?.has(compiler.InternalSymbolName.Default) === true,
    line: positionOf(declaration.getSourceFile(), declaration.getStart()).line + 1,
    warnings,
  };
  return { signature, inputs: [...read.inputs] };
}

/** Only what is written counts: a type that the compiler would infer is a promise that nobody made. */
function readReturns(
  read: ReadProgram,
  declaration: ts.SignatureDeclaration,
  docs: Docs,
  warn: (message: string) => void,
): Readonly<Record<string, unknown>> | undefined {
  const described = readParameterText(docs.returns);
  const written = declaration.type === undefined ? undefined : unwrapPromise(declaration.type);
  if (written === undefined || SAYS_NOTHING.has(written.kind)) return undefined;
  try {
    const schema = new TypeSchemas(read.program).of(written);
    const isTelling = Object.keys(schema).length > 0 && !JSON.stringify(schema).includes('"not":{}');
    return isTelling ? { ...described, ...schema } : undefined;
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    const { line, message } = error.problem;
    warn(`line ${line ?? '?'}: what it returns is not told: ${message}`);
    return undefined;
  }
}

const SAYS_NOTHING = new Set([
  compiler.SyntaxKind.VoidKeyword,
  compiler.SyntaxKind.UndefinedKeyword,
  compiler.SyntaxKind.AnyKeyword,
  compiler.SyntaxKind.UnknownKeyword,
  compiler.SyntaxKind.NeverKeyword,
]);

function unwrapPromise(type: ts.TypeNode): ts.TypeNode | undefined {
  if (!compiler.isTypeReferenceNode(type) || !/^Promise(Like)?$/.test(type.typeName.getText())) return type;
  const [inner] = type.typeArguments ?? [];
  return inner === undefined ? undefined : unwrapPromise(inner);
}

/** `@example {"city": "Paris"}`, in a code block or not. Others are for people. */
function readExamples(docs: Docs): Signature['examples'] {
  return docs.tags.flatMap(({ name, text }) => {
    if (name !== 'example') return [];
    const bare = text.replace(/^```\w*\n?|\n?```$/g, '').trim();
    try {
      const value: unknown = JSON.parse(bare);
      return isRecord(value) ? [{ arguments: value }] : [];
    } catch {
      return [];
    }
  });
}

function readAnnotations(docs: Docs): Readonly<Record<string, boolean>> {
  const found = docs.tags.flatMap(({ name, text }) => {
    const annotation = Object.hasOwn(ANNOTATIONS, name) ? ANNOTATIONS[name] : undefined;
    return annotation === undefined ? [] : [[annotation, text !== 'false'] as const];
  });
  return Object.fromEntries(found);
}

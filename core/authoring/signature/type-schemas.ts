import {
  BaseError,
  ChainNodeParser,
  type CompletedConfig,
  createFormatter,
  createParser,
  DEFAULT_CONFIG,
  SchemaGenerator,
  UnhandledError,
} from 'ts-json-schema-generator';
import { isRecord } from '../../schema/pointer.ts';
import { compiler, type ts } from './compiler.ts';
import { ImportTypeParser } from './import-type-parser.ts';
import { LibraryTypeParser } from './library-type-parser.ts';
import { findNameThatLeadsNowhere } from './names-that-lead-nowhere.ts';
import { problemAt, problemIn, SignatureError } from './problem.ts';
import { tidySchema } from './tidy-schema.ts';

const CONFIG: CompletedConfig = {
  ...DEFAULT_CONFIG,
  expose: 'all',
  encodeRefs: true,
  sortProps: false,
  functions: 'fail',
  extraTags: ['integer'],
};
/** JSON Schemas of types, as they are written in code. */
export class TypeSchemas {
  readonly #program: ts.Program;
  readonly #generator: SchemaGenerator;

  constructor(program: ts.Program) {
    this.#program = program;
    const checker = program.getTypeChecker();
    const parser = createParser(program, CONFIG, (parsers) => {
      // It is one always; its interface just doesn't say so.
      if (!(parsers instanceof ChainNodeParser)) return;
      parsers
        .addNodeParser(new LibraryTypeParser(program))
        .addNodeParser(new ImportTypeParser(checker, parsers));
    });
    this.#generator = new SchemaGenerator(program, parser, createFormatter(CONFIG), CONFIG);
  }

  /** @throws SignatureError where a type can't be told in JSON Schema. */
  of(node: ts.Node): Readonly<Record<string, unknown>> {
    const nowhere = findNameThatLeadsNowhere(this.#program, node);
    if (nowhere !== undefined) throw new SignatureError(nowhere);
    try {
      const { definitions = {}, ...schema } = this.#generator.createSchemaFromNodes([node]);
      return tidySchema(schema, isRecord(definitions) ? definitions : {});
    } catch (error) {
      throw this.#explain(node, error);
    }
  }

  #explain(node: ts.Node, error: unknown): SignatureError {
    const cause = error instanceof UnhandledError ? error.cause : error;
    if (cause instanceof SignatureError) return cause;
    const at = (message: string) => new SignatureError(problemAt(node, message));
    if (cause instanceof RangeError) return at('the type is nested too deeply to be told in JSON Schema');
    if (!(cause instanceof BaseError)) return at(`the type can't be told in JSON Schema. ${INSTEAD}`);
    const { file, start, messageText } = cause.diagnostic;
    const message = reword(compiler.flattenDiagnosticMessageText(messageText, '\n'));
    // A type of a library is named where the plugin uses it.
    const isOwn = file !== undefined && !this.#program.isSourceFileDefaultLibrary(file);
    return isOwn ? new SignatureError(problemIn(file, start ?? 0, message)) : at(message);
  }
}

const INSTEAD = 'Write it out, export `parameters` (zod or JSON Schema), or add a schema.json';

function reword(message: string): string {
  const [, kind] = /^Unknown node of kind "(.+)"/.exec(message) ?? [];
  if (kind === undefined) return `the type can't be told in JSON Schema: ${firstLine(message)}`;
  const what = /^(Function|Constructor|Method|Arrow)/.test(kind)
    ? 'arguments are JSON, and a function is not'
    : `arguments are JSON, and there is no JSON Schema for ${kind}`;
  return `${what}. ${INSTEAD}`;
}

function firstLine(text: string): string {
  return text.split('\n')[0]?.slice(0, 200) ?? '';
}

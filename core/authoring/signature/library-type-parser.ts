import type { BaseType, SubNodeParser } from 'ts-json-schema-generator';
import { compiler, type ts } from './compiler.ts';
import { problemAt, SignatureError } from './problem.ts';

/** Objects of the language that JSON can stand for. */
const FINE = new Set([
  'Array',
  'ReadonlyArray',
  'Date',
  'Object',
  'String',
  'Number',
  'Boolean',
  'Promise',
  'PromiseLike',
  'RegExp',
]);

/** `Set`, `Map`, `Uint8Array` and the like: the generator would describe their methods. */
export class LibraryTypeParser implements SubNodeParser {
  readonly #program: ts.Program;

  constructor(program: ts.Program) {
    this.#program = program;
  }

  supportsNode(node: ts.Node): boolean {
    if (!compiler.isTypeReferenceNode(node)) return false;
    const symbol = this.#program.getTypeChecker().getSymbolAtLocation(node.typeName);
    const isObject =
      (symbol?.flags ?? 0) & compiler.SymbolFlags.Interface &&
      (symbol?.flags ?? 0) & compiler.SymbolFlags.Variable;
    const [declaration] = symbol?.declarations ?? [];
    return (
      symbol !== undefined &&
      declaration !== undefined &&
      isObject !== 0 &&
      !FINE.has(symbol.name) &&
      this.#program.isSourceFileDefaultLibrary(declaration.getSourceFile())
    );
  }

  createType(node: ts.Node): BaseType {
    throw new SignatureError(
      problemAt(node, `arguments are JSON, and a ${node.getText()} is not: take an array or an object`),
    );
  }
}

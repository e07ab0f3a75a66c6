import type { BaseType, Context, ReferenceType, SubNodeParser } from 'ts-json-schema-generator';
import { compiler, type ts } from './compiler.ts';

/** `import('./place.ts').Place`, which the generator does not read by itself: it reads what that names. */
export class ImportTypeParser implements SubNodeParser {
  readonly #checker: ts.TypeChecker;
  readonly #parsers: SubNodeParser;

  constructor(checker: ts.TypeChecker, parsers: SubNodeParser) {
    this.#checker = checker;
    this.#parsers = parsers;
  }

  supportsNode(node: ts.Node): boolean {
    return compiler.isImportTypeNode(node) && this.#declarationOf(node) !== undefined;
  }

  createType(node: ts.Node, context: Context, reference?: ReferenceType): BaseType {
    const declaration = compiler.isImportTypeNode(node) ? this.#declarationOf(node) : undefined;
    if (declaration === undefined) throw new Error('only what supportsNode() took comes here');
    return this.#parsers.createType(declaration, context, reference);
  }

  #declarationOf({ qualifier, typeArguments, isTypeOf }: ts.ImportTypeNode): ts.Declaration | undefined {
    if (qualifier === undefined || typeArguments !== undefined || isTypeOf) return undefined;
    let symbol = this.#checker.getSymbolAtLocation(qualifier);
    if (symbol !== undefined && symbol.flags & compiler.SymbolFlags.Alias)
      symbol = this.#checker.getAliasedSymbol(symbol);
    return symbol?.declarations?.[0];
  }
}

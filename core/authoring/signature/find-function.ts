import { compiler, type ts } from './compiler.ts';
import { problemAt, problemIn, SignatureError } from './problem.ts';

export interface FoundFunction {
  readonly declaration: ts.SignatureDeclaration;
  /** The name that it is exported or declared by; undefined for one that has none. */
  readonly name: string | undefined;
  /** What its comment may stand on: itself, the variable, the export. */
  readonly documented: readonly ts.Node[];
}

/** The default export of a file, or the one named; where there is neither, the only function that is exported. */
export function findFunction(checker: ts.TypeChecker, file: ts.SourceFile, name?: string): FoundFunction {
  const module = checker.getSymbolAtLocation(file);
  const exported = module === undefined ? [] : checker.getExportsOfModule(module);
  const wanted = exported.find((symbol) => symbol.name === (name ?? 'default'));
  if (wanted !== undefined) return resolve(checker, wanted, file);
  const functions = exported.filter((symbol) => {
    const target = skipAlias(checker, symbol);
    return (target.flags & compiler.SymbolFlags.Value) !== 0 && functionOf(checker, target) !== undefined;
  });
  const names = functions.map((symbol) => symbol.name).join(', ');
  if (name !== undefined)
    throw new SignatureError(
      problemIn(
        file,
        0,
        `exports no "${name}"${names === '' ? '' : `; functions that it exports: ${names}`}`,
      ),
    );
  const [only] = functions;
  if (only !== undefined && functions.length === 1) return resolve(checker, only, file);
  const message =
    names === ''
      ? 'exports no function: `export default async function (args, ctx) { ... }`'
      : `has no default export, and exports several functions: ${names}; name one of them`;
  throw new SignatureError(problemIn(file, 0, message));
}

function resolve(checker: ts.TypeChecker, symbol: ts.Symbol, file: ts.SourceFile): FoundFunction {
  const target = skipAlias(checker, symbol);
  const declaration = functionOf(checker, target);
  const [first] = target.declarations ?? [];
  if (declaration === undefined) {
    const message = `its ${symbol.name === 'default' ? 'default export' : `"${symbol.name}"`} is no function`;
    throw new SignatureError(first === undefined ? problemIn(file, 0, message) : problemAt(first, message));
  }
  const own = nameOf(declaration) ?? (target.name === 'default' ? undefined : target.name);
  const name = symbol.name === 'default' ? own : symbol.name;
  return { declaration, name, documented: [declaration, ...(target.declarations ?? [])] };
}

function skipAlias(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  let target = symbol;
  if (target.flags & compiler.SymbolFlags.Alias) target = checker.getAliasedSymbol(target);
  // `export default weather` is a property of the module whose value is that name.
  const [declaration] = target.declarations ?? [];
  if (declaration !== undefined && compiler.isExportAssignment(declaration)) {
    const named = checker.getSymbolAtLocation(unwrap(declaration.expression));
    if (named !== undefined)
      return named.flags & compiler.SymbolFlags.Alias ? checker.getAliasedSymbol(named) : named;
  }
  return target;
}

function functionOf(checker: ts.TypeChecker, symbol: ts.Symbol): ts.SignatureDeclaration | undefined {
  for (const declaration of symbol.declarations ?? []) {
    if (compiler.isFunctionDeclaration(declaration)) return implementationOf(symbol) ?? declaration;
    const value = compiler.isExportAssignment(declaration)
      ? declaration.expression
      : compiler.isVariableDeclaration(declaration)
        ? declaration.initializer
        : undefined;
    const expression = value === undefined ? undefined : unwrap(value);
    if (expression === undefined) continue;
    if (compiler.isFunctionExpression(expression) || compiler.isArrowFunction(expression)) return expression;
    // Made by a call (`memoize(fn)`), perhaps: the signature of its type will do.
    const [signature] = checker.getTypeAtLocation(expression).getCallSignatures();
    const written = signature?.getDeclaration();
    if (written !== undefined) return written;
  }
  return undefined;
}

/** Of overloads the last one that is written out: it names every parameter. */
function implementationOf(symbol: ts.Symbol): ts.SignatureDeclaration | undefined {
  return symbol.declarations?.filter(compiler.isFunctionDeclaration).find(({ body }) => body !== undefined);
}

function unwrap(expression: ts.Expression): ts.Expression {
  let inner = expression;
  while (
    compiler.isParenthesizedExpression(inner) ||
    compiler.isSatisfiesExpression(inner) ||
    compiler.isAsExpression(inner)
  )
    inner = inner.expression;
  return inner;
}

function nameOf(declaration: ts.SignatureDeclaration): string | undefined {
  const { name } = declaration;
  return name !== undefined && compiler.isIdentifier(name) ? name.text : undefined;
}

import { compiler, type ts } from './compiler.ts';

/** A value that is written out in code: literals, lists and objects of them, and constants that hold such. */
export type Literal = { readonly known: true; readonly value: unknown } | { readonly known: false };

const UNKNOWN: Literal = { known: false };
const MAX_DEPTH = 32;

/** Reads an expression as data; anything that would have to run is not known. */
export function readLiteral(checker: ts.TypeChecker, expression: ts.Expression, depth = MAX_DEPTH): Literal {
  if (depth === 0) return UNKNOWN;
  const read = (inner: ts.Expression) => readLiteral(checker, inner, depth - 1);
  if (compiler.isStringLiteralLike(expression)) return known(expression.text);
  if (compiler.isNumericLiteral(expression)) return known(Number(expression.text));
  switch (expression.kind) {
    case compiler.SyntaxKind.TrueKeyword:
      return known(true);
    case compiler.SyntaxKind.FalseKeyword:
      return known(false);
    case compiler.SyntaxKind.NullKeyword:
      return known(null);
  }
  if (
    compiler.isParenthesizedExpression(expression) ||
    compiler.isAsExpression(expression) ||
    compiler.isSatisfiesExpression(expression)
  )
    return read(expression.expression);
  if (compiler.isPrefixUnaryExpression(expression)) return negate(expression, read(expression.operand));
  if (compiler.isArrayLiteralExpression(expression)) {
    const items = expression.elements.map(read);
    return items.every((item) => item.known) ? known(items.map(({ value }) => value)) : UNKNOWN;
  }
  if (compiler.isObjectLiteralExpression(expression)) return readObject(expression, read);
  if (compiler.isIdentifier(expression) || compiler.isPropertyAccessExpression(expression))
    return readConstant(checker, expression, depth);
  return UNKNOWN;
}

function known(value: unknown): Literal {
  return { known: true, value };
}

function negate({ operator }: ts.PrefixUnaryExpression, operand: Literal): Literal {
  const isMinus = operator === compiler.SyntaxKind.MinusToken;
  return isMinus && operand.known && typeof operand.value === 'number' ? known(-operand.value) : UNKNOWN;
}

function readObject(object: ts.ObjectLiteralExpression, read: (inner: ts.Expression) => Literal): Literal {
  const entries: [string, unknown][] = [];
  for (const property of object.properties) {
    if (!compiler.isPropertyAssignment(property)) return UNKNOWN;
    const { name } = property;
    const value = read(property.initializer);
    const isPlain =
      compiler.isIdentifier(name) || compiler.isStringLiteral(name) || compiler.isNumericLiteral(name);
    if (!isPlain || !value.known) return UNKNOWN;
    entries.push([name.text, value.value]);
  }
  return known(Object.fromEntries(entries));
}

/** A `const` of this or an imported file, or a member of an enum. */
function readConstant(checker: ts.TypeChecker, expression: ts.Expression, depth: number): Literal {
  let symbol = checker.getSymbolAtLocation(expression);
  if (symbol !== undefined && symbol.flags & compiler.SymbolFlags.Alias)
    symbol = checker.getAliasedSymbol(symbol);
  const declaration = symbol?.valueDeclaration;
  if (declaration === undefined) return UNKNOWN;
  if (compiler.isEnumMember(declaration)) {
    const value = checker.getConstantValue(declaration);
    return value === undefined ? UNKNOWN : known(value);
  }
  const isConstant =
    compiler.isVariableDeclaration(declaration) &&
    (compiler.getCombinedNodeFlags(declaration) & compiler.NodeFlags.Const) !== 0;
  if (!isConstant || declaration.initializer === undefined) return UNKNOWN;
  return readLiteral(checker, declaration.initializer, depth - 1);
}

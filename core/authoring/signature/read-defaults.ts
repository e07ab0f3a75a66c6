import { compiler, type ts } from './compiler.ts';
import { type Literal, readLiteral } from './read-literal.ts';

/** What code takes out of its argument: names, the defaults beside them, and what it takes out of those. */
export interface Taken {
  /** There is a default, so that the property may be left out. */
  readonly hasDefault: boolean;
  readonly value: Literal;
  readonly inner: ReadonlyMap<string, Taken>;
}

/** Reads `{ city, units = 'metric' }`, where it stands in the parameter or at the top of the function's body. */
export function readDefaults(
  checker: ts.TypeChecker,
  declaration: ts.SignatureDeclaration,
  parameter: ts.ParameterDeclaration,
): ReadonlyMap<string, Taken> {
  const { name } = parameter;
  if (compiler.isObjectBindingPattern(name)) return readPattern(checker, name);
  const body = 'body' in declaration ? declaration.body : undefined;
  if (!compiler.isIdentifier(name) || body === undefined || !compiler.isBlock(body)) return new Map();
  const taken = new Map<string, Taken>();
  for (const statement of body.statements) {
    if (!compiler.isVariableStatement(statement)) continue;
    for (const each of statement.declarationList.declarations) {
      const { initializer } = each;
      const isParameter =
        initializer !== undefined && compiler.isIdentifier(initializer) && initializer.text === name.text;
      if (!isParameter || !compiler.isObjectBindingPattern(each.name)) continue;
      for (const [key, value] of readPattern(checker, each.name)) taken.set(key, value);
    }
  }
  return taken;
}

function readPattern(checker: ts.TypeChecker, pattern: ts.ObjectBindingPattern): Map<string, Taken> {
  const taken = new Map<string, Taken>();
  for (const element of pattern.elements) {
    if (element.dotDotDotToken !== undefined) continue;
    const key = element.propertyName ?? element.name;
    if (!compiler.isIdentifier(key) && !compiler.isStringLiteral(key)) continue;
    const { initializer } = element;
    taken.set(key.text, {
      hasDefault: initializer !== undefined,
      value: initializer === undefined ? { known: false } : readLiteral(checker, initializer),
      inner: compiler.isObjectBindingPattern(element.name) ? readPattern(checker, element.name) : new Map(),
    });
  }
  return taken;
}

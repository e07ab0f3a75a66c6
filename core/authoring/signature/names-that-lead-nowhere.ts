import { compiler, type ts } from './compiler.ts';
import { problemIn, type SignatureProblem } from './problem.ts';

/** The compiler's numbers for names of types and modules that there are not. */
const CODES = new Set([2304, 2305, 2307, 2503, 2552, 2614, 2694, 2724, 2749]);

/**
 * The first name in a type, or in an import, that leads nowhere: to the generator it is anything. The rest of the file
 * is none of this: what it names of the web is not known here.
 */
export function findNameThatLeadsNowhere(program: ts.Program, type: ts.Node): SignatureProblem | undefined {
  const file = type.getSourceFile();
  const found = program
    .getSemanticDiagnostics(file)
    .find(({ code, start = 0 }) => CODES.has(code) && (isWithin(type, start) || isOfTypes(file, start)));
  if (found === undefined) return undefined;
  return problemIn(file, found.start ?? 0, compiler.flattenDiagnosticMessageText(found.messageText, ' '));
}

function isOfTypes(file: ts.SourceFile, offset: number): boolean {
  const statement = file.statements.find((each) => isWithin(each, offset));
  if (statement === undefined) return false;
  if (!compiler.isImportDeclaration(statement))
    return compiler.isInterfaceDeclaration(statement) || compiler.isTypeAliasDeclaration(statement);
  // Packages and built-ins may come without types.
  return (
    compiler.isStringLiteral(statement.moduleSpecifier) && statement.moduleSpecifier.text.startsWith('.')
  );
}

function isWithin(node: ts.Node, offset: number): boolean {
  return node.pos <= offset && offset < node.end;
}

import { compiler, type ts } from './compiler.ts';
import { type Docs, defaultTextOf, type ParameterDoc } from './read-docs.ts';

/** The name of the interface in {@link typesFromComments}. */
export const COMMENT_TYPES = 'Arguments';

/**
 * JavaScript has its types in comments, where the generator doesn't look. They are written out as TypeScript: what
 * `@typedef`s there are, and an interface with one member for each parameter, or for each property of the only one.
 */
export function typesFromComments(file: ts.SourceFile, members: ReadonlyMap<string, ParameterDoc>): string {
  return `${importsOf(file)}${typedefsOf(file)}export interface ${COMMENT_TYPES} ${objectText(members)}\n`;
}

/** The documented properties of a parameter, as a tree: `args.options.limit` is `limit` in `options`. */
export function propertiesOf(docs: Docs, parameter: string): ReadonlyMap<string, ParameterDoc> {
  const prefix = `${parameter}.`;
  return new Map(
    [...docs.parameters]
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, doc]) => [name.slice(prefix.length), doc]),
  );
}

function objectText(members: ReadonlyMap<string, ParameterDoc>): string {
  const lines = [...members]
    .filter(([name]) => !name.includes('.'))
    .map(([name, doc]) => {
      const inner = new Map(
        [...members]
          .filter(([other]) => other.startsWith(`${name}.`) || other.startsWith(`${name}[].`))
          .map(([other, each]) => [other.slice(other.indexOf('.') + 1), each] as const),
      );
      const isList = [...members.keys()].some((other) => other.startsWith(`${name}[].`));
      const type = inner.size > 0 ? `${objectText(inner)}${isList ? '[]' : ''}` : typeText(doc.type);
      return `${commentText(doc)}${JSON.stringify(name)}${doc.isOptional ? '?' : ''}: ${type};`;
    });
  return `{\n${lines.join('\n')}\n}`;
}

/** The author's words stand in a comment again, which they must not end. */
function commentText({ text, defaultText }: Pick<ParameterDoc, 'text' | 'defaultText'>): string {
  const whole = [text, ...(defaultText === undefined ? [] : [`@default ${defaultText}`])].join('\n').trim();
  return whole === '' ? '' : `/**\n${whole.replaceAll('*/', '* /')}\n*/\n`;
}

/** Closure's manner of writing types, which JSDoc still has, in TypeScript's. */
function typeText(type: ts.TypeNode | undefined): string {
  if (type === undefined || compiler.isJSDocAllType(type) || compiler.isJSDocUnknownType(type))
    return 'unknown';
  if (compiler.isJSDocOptionalType(type) || compiler.isJSDocNonNullableType(type)) return typeText(type.type);
  if (compiler.isJSDocNullableType(type)) return `(${typeText(type.type)}) | null`;
  if (compiler.isJSDocVariadicType(type)) return `(${typeText(type.type)})[]`;
  if (compiler.isJSDocTypeLiteral(type)) {
    const members = new Map<string, ParameterDoc>();
    for (const property of type.jsDocPropertyTags ?? []) {
      members.set(property.name.getText().replace(/^[^.]*\./, ''), {
        text: compiler.getTextOfJSDocComment(property.comment) ?? '',
        isOptional: property.isBracketed,
        defaultText: defaultTextOf(property),
        type: property.typeExpression?.type,
      });
    }
    return `${objectText(members)}${type.isArrayType ? '[]' : ''}`;
  }
  const text = type.getText().replaceAll(/\b(Array|Object)\.</g, '$1<');
  return text.replace(/^Object</, 'Record<').replace(/^(Object|Function)$/, 'object');
}

function typedefsOf(file: ts.SourceFile): string {
  return jsDocTags(file)
    .filter(compiler.isJSDocTypedefTag)
    .map(({ name, typeExpression, comment }) => {
      if (name === undefined || typeExpression === undefined) return '';
      const type = compiler.isJSDocTypeLiteral(typeExpression) ? typeExpression : typeExpression.type;
      const text = commentText({
        text: compiler.getTextOfJSDocComment(comment) ?? '',
        defaultText: undefined,
      });
      return `${text}export type ${name.getText()} = ${typedefText(type)};\n`;
    })
    .join('');
}

/** `@typedef {object} Name` and its `@property`s name them without a root. */
function typedefText(type: ts.TypeNode): string {
  if (!compiler.isJSDocTypeLiteral(type)) return typeText(type);
  const members = new Map<string, ParameterDoc>();
  for (const property of type.jsDocPropertyTags ?? []) {
    const written = property.typeExpression?.type;
    members.set(property.name.getText(), {
      text: (compiler.getTextOfJSDocComment(property.comment) ?? '').replace(/^-\s+/, ''),
      isOptional: property.isBracketed || (written !== undefined && compiler.isJSDocOptionalType(written)),
      defaultText: defaultTextOf(property),
      type: written,
    });
  }
  return `${objectText(members)}${type.isArrayType ? '[]' : ''}`;
}

/** `@import { Place } from './place.ts'`. */
function importsOf(file: ts.SourceFile): string {
  return jsDocTags(file)
    .filter(compiler.isJSDocImportTag)
    .map(
      (tag) => `import type ${tag.importClause?.getText() ?? '{}'} from ${tag.moduleSpecifier.getText()};\n`,
    )
    .join('');
}

/** Of every comment: only the last one before a statement counts as that statement's own. */
function jsDocTags(file: ts.SourceFile): ts.JSDocTag[] {
  const places = [...file.statements, file.endOfFileToken];
  return places.flatMap((place) =>
    place
      .getChildren(file)
      .filter(compiler.isJSDoc)
      .flatMap(({ tags }) => [...(tags ?? [])]),
  );
}

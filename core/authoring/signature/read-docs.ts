import { compiler, type ts } from './compiler.ts';
import { isConstraint } from './constraints.ts';

/** What a function's comment says. */
export interface Docs {
  readonly description: string;
  /** By what the author wrote after `@param`: `city`, `args.city`, `args.options.limit`. */
  readonly parameters: ReadonlyMap<string, ParameterDoc>;
  readonly returns: string;
  /** The other tags, names in lower case, in their order. */
  readonly tags: readonly { readonly name: string; readonly text: string }[];
}

export interface ParameterDoc {
  readonly text: string;
  /** `[city]` or `[city='Paris']`. */
  readonly isOptional: boolean;
  /** Written behind `=` in brackets; source text. */
  readonly defaultText: string | undefined;
  readonly type: ts.TypeNode | undefined;
}

export function readDocs(documented: readonly ts.Node[]): Docs {
  const found = [...new Set(documented.flatMap((node) => compiler.getJSDocCommentsAndTags(node)))];
  const parameters = new Map<string, ParameterDoc>();
  const tags: { name: string; text: string }[] = [];
  const descriptions: string[] = [];
  let returns = '';
  let last: string | undefined;
  const addTag = (tag: ts.JSDocTag) => {
    const name = tag.tagName.text;
    const text = textOf(tag.comment);
    // `@param days How far. @minimum 1` is two tags to the compiler; the second speaks of the same parameter,
    // unless it names one itself: `@minimum days 1`.
    const [, first = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(text) ?? [];
    const named = parameters.has(first) ? first : undefined;
    const meant = named ?? last;
    if (meant !== undefined && isConstraint(name))
      return addConstraint(parameters, meant, `@${name} ${named === undefined ? text : rest}`);
    last = undefined;
    if (compiler.isJSDocParameterTag(tag)) {
      addParameter(tag, parameters);
      last = tag.name.getText();
    } else if (compiler.isJSDocReturnTag(tag)) returns = text;
    else if (name === 'description') descriptions.push(text);
    else tags.push({ name: name.toLowerCase(), text });
  };
  for (const each of found) {
    if (!compiler.isJSDoc(each)) {
      addTag(each);
      continue;
    }
    descriptions.push(textOf(each.comment));
    each.tags?.forEach(addTag);
  }
  const description = descriptions.filter((text) => text !== '').join('\n');
  return { description, parameters, returns, tags };
}

function addConstraint(parameters: Map<string, ParameterDoc>, name: string, tag: string): void {
  const doc = parameters.get(name);
  if (doc !== undefined) parameters.set(name, { ...doc, text: `${doc.text} ${tag}`.trim() });
}

function addParameter(tag: ts.JSDocPropertyLikeTag, parameters: Map<string, ParameterDoc>): void {
  const written = tag.typeExpression?.type;
  parameters.set(tag.name.getText(), {
    text: textOf(tag.comment).replace(/^-\s+/, ''),
    isOptional: tag.isBracketed || (written !== undefined && compiler.isJSDocOptionalType(written)),
    defaultText: defaultTextOf(tag),
    type: written,
  });
  // `@param {object} args` takes in the `@param args.city` behind it.
  if (written !== undefined && compiler.isJSDocTypeLiteral(written))
    for (const property of written.jsDocPropertyTags ?? []) addParameter(property, parameters);
}

/** TypeScript reads over what stands behind `=` in `[name=value]`. */
export function defaultTextOf(tag: ts.JSDocPropertyLikeTag): string | undefined {
  if (!tag.isBracketed) return undefined;
  const behind = tag.getSourceFile().text.slice(tag.name.end, tag.end);
  return /^\s*=\s*((?:"[^"]*"|'[^']*'|`[^`]*`|[^\]"'`]|\[[^\]]*\])*)\]/.exec(behind)?.[1]?.trim();
}

function textOf(comment: string | ts.NodeArray<ts.JSDocComment> | undefined): string {
  return (compiler.getTextOfJSDocComment(comment) ?? '').replaceAll('\r', '').trim();
}

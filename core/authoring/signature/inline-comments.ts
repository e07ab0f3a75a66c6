import { compiler, type ts } from './compiler.ts';

const originals = new WeakMap<ts.SourceFile, string>();

/**
 * Parses code so that a comment on the same line as what stands before it, `{ /** The city *\/ city: string }`, is its
 * property's: to the compiler it ends the token before. A space before such a comment becomes the end of a line; every
 * offset stays what it was.
 */
export function parseSource(
  file: string,
  text: string,
  version: ts.ScriptTarget | ts.CreateSourceFileOptions,
) {
  const parsed = compiler.createSourceFile(file, text, version, true);
  const spaces = spacesBeforeComments(parsed);
  if (spaces.length === 0) return parsed;
  const characters = [...text.split('')];
  for (const offset of spaces) characters[offset] = '\n';
  const broken = compiler.createSourceFile(file, characters.join(''), version, true);
  originals.set(broken, text);
  return broken;
}

/** 0-based, in the file as its author has it. */
export function positionOf(file: ts.SourceFile, offset: number): { line: number; column: number } {
  const original = originals.get(file);
  if (original === undefined) {
    const { line, character } = compiler.getLineAndCharacterOfPosition(file, offset);
    return { line, column: character };
  }
  const before = original.slice(0, offset).split('\n');
  return { line: before.length - 1, column: before.at(-1)?.length ?? 0 };
}

function spacesBeforeComments(file: ts.SourceFile): number[] {
  const spaces: number[] = [];
  const visit = (node: ts.Node): void => {
    if (compiler.isPropertySignature(node)) {
      const [comment] = compiler.getTrailingCommentRanges(file.text, node.pos) ?? [];
      const isDocs = comment !== undefined && file.text.startsWith('/**', comment.pos);
      if (isDocs && /[ \t]/.test(file.text[comment.pos - 1] ?? '')) spaces.push(comment.pos - 1);
    }
    compiler.forEachChild(node, visit);
  };
  visit(file);
  return spaces;
}

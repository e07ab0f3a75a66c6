import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';

export type JsonPath = readonly (string | number)[];

/** 1-based, as editors count. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

export type JsonText =
  | { readonly ok: true; readonly value: unknown; positionOf(path: JsonPath): Position | undefined }
  | { readonly ok: false; readonly message: string; readonly position: Position };

const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };

/** Parses strict JSON, refuses a key given twice, and remembers where each value stands in the text. */
export function parseJsonText(raw: string): JsonText {
  const text = raw.startsWith('\uFEFF') ? raw.slice(1) : raw;
  const fail = (message: string, offset: number): JsonText => ({
    ok: false,
    message,
    position: positionAt(text, offset),
  });
  if (text.trim() === '') return fail('the file is empty', 0);

  const errors: ParseError[] = [];
  let tree: Node | undefined;
  let value: unknown;
  try {
    tree = parseTree(text, errors, STRICT);
    const first = errors[0];
    if (first) return fail(describeSyntaxError(first, text), first.offset);
    value = JSON.parse(text);
  } catch (error) {
    // jsonc-parser recurses; JSON.parse is the last word on what jsonc-parser lets pass.
    return fail(error instanceof RangeError ? 'nested too deeply' : `not valid JSON (${String(error)})`, 0);
  }
  const twice = tree && findDuplicateKey(tree);
  if (twice) return fail(`the key "${String(twice.value)}" is given twice`, twice.offset);
  return {
    ok: true,
    value,
    positionOf: (path) => {
      const node = tree && findNodeAtLocation(tree, [...path]);
      if (!node) return undefined;
      // A value's problem is best shown at its key.
      return positionAt(text, node.parent?.type === 'property' ? node.parent.offset : node.offset);
    },
  };
}

function describeSyntaxError(error: ParseError, text: string): string {
  const name = printParseErrorCode(error.error);
  const readable = name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).toLowerCase();
  const found = text.slice(error.offset, error.offset + Math.min(error.length, 20)).trim();
  return found === '' ? `not valid JSON: ${readable}` : `not valid JSON: ${readable}, found ${found}`;
}

function findDuplicateKey(node: Node): Node | undefined {
  const seen = new Set<unknown>();
  for (const child of node.children ?? []) {
    if (child.type === 'property') {
      const key = child.children?.[0];
      if (key && seen.has(key.value)) return key;
      seen.add(key?.value);
    }
    const inside = findDuplicateKey(child);
    if (inside) return inside;
  }
  return undefined;
}

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

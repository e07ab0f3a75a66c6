import type { Node } from 'yaml';
import type { Position } from '../config/json-text.ts';
import { isRecord } from '../schema/pointer.ts';

/** Bytes of the block between the two lines `---`. */
export const MAX_FRONT_MATTER_BYTES = 16_384;
const MAX_DEPTH = 16;

export type FrontMatter =
  | {
      readonly ok: true;
      readonly values: Readonly<Record<string, unknown>>;
      /** Everything below, and the line that it begins at, 1-based. */
      readonly body: string;
      readonly bodyLine: number;
      /** Where the value of these keys stands in the file. */
      positionOf(keys: readonly (string | number)[]): Position | undefined;
    }
  | { readonly ok: false; readonly message: string; readonly line: number; readonly column?: number };

/** Takes a Markdown text apart into its YAML head, if it has one, and its body. */
export async function readFrontMatter(raw: string): Promise<FrontMatter> {
  const text = raw.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  if (!/^---[ \t]*\n/.test(text))
    return { ok: true, values: {}, body: text, bodyLine: 1, positionOf: () => undefined };
  const start = text.indexOf('\n') + 1;
  const end = /^(?:---|\.\.\.)[ \t]*$/m.exec(text.slice(start));
  if (end === null) return { ok: false, line: 1, message: 'the head that begins here has no closing "---"' };
  const yaml = text.slice(start, start + end.index);
  const body = text.slice(start + end.index + end[0].length + 1);
  if (Buffer.byteLength(yaml) > MAX_FRONT_MATTER_BYTES)
    return { ok: false, line: 1, message: `the head is longer than ${MAX_FRONT_MATTER_BYTES} bytes` };
  const bodyLine = 1 + text.slice(0, text.length - body.length).split('\n').length - 1;
  return readYaml(await import('yaml'), yaml, body, bodyLine);
}

type Yaml = typeof import('yaml');

function readYaml(library: Yaml, yaml: string, body: string, bodyLine: number): FrontMatter {
  // The parser recurses, so what nests without end is refused by its look.
  if (seemsDeep(yaml))
    return { ok: false, line: 2, message: `the head is nested deeper than ${MAX_DEPTH} levels` };
  const lines = new library.LineCounter();
  const document = library.parseDocument(yaml, {
    lineCounter: lines,
    prettyErrors: false,
    schema: 'core',
    // Its own check takes quadratic time.
    uniqueKeys: false,
  });
  const placeOf = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    // The first line of the file is the `---` above it.
    return { line: line + 1, column: Math.max(1, col) };
  };
  const [error] = document.errors;
  if (error !== undefined)
    return {
      ok: false,
      ...placeOf(error.pos[0]),
      message: `not valid YAML: ${error.message.split('\n')[0]}`,
    };
  const read = toValue(library, document.contents, 0);
  if (!read.ok) return { ok: false, ...placeOf(read.offset), message: read.message };
  const values = read.value ?? {};
  if (!isRecord(values))
    return { ok: false, line: 2, message: 'the head must be a list of "key: value" lines' };
  const positionOf = (keys: readonly (string | number)[]): Position | undefined => {
    // YAML's type for any node; undefined where nothing stands.
    const node = document.getIn(keys, true) as Node | undefined;
    const offset = node?.range?.[0];
    return offset === undefined ? undefined : placeOf(offset);
  };
  return { ok: true, values, body, bodyLine, positionOf };
}

type Value =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string; readonly offset: number };

/** Only what JSON has too: no aliases, which could unfold without end, no tags, no keys that are no text. */
function toValue(library: Yaml, node: unknown, depth: number): Value {
  const { isMap, isScalar, isSeq } = library;
  const offset = (node as Node | null)?.range?.[0] ?? 0; // null where nothing stands
  const wrong = (message: string): Value => ({ ok: false, message, offset });
  if (node === null || node === undefined) return { ok: true, value: null };
  if (depth > MAX_DEPTH) return wrong(`is nested deeper than ${MAX_DEPTH} levels`);
  if (isScalar(node)) return { ok: true, value: node.value };
  if (isSeq(node)) {
    const list: unknown[] = [];
    for (const item of node.items) {
      const read = toValue(library, item, depth + 1);
      if (!read.ok) return read;
      list.push(read.value);
    }
    return { ok: true, value: list };
  }
  if (!isMap(node)) return wrong('an alias ("*name") can\'t be used here: write the value out');
  const entries = new Map<string, unknown>();
  for (const { key, value } of node.items) {
    if (!isScalar(key) || typeof key.value !== 'string') return wrong('a key must be text');
    if (entries.has(key.value))
      return {
        ok: false,
        message: `the key "${key.value}" is given twice`,
        offset: key.range?.[0] ?? offset,
      };
    const read = toValue(library, value, depth + 1);
    if (!read.ok) return read;
    entries.set(key.value, read.value);
  }
  // fromEntries defines `__proto__` as an own key, where an assignment would not.
  return { ok: true, value: Object.fromEntries(entries) };
}

function seemsDeep(yaml: string): boolean {
  let open = 0;
  for (const character of yaml) {
    if (character === '[' || character === '{') open += 1;
    else if (character === ']' || character === '}') open -= 1;
    if (open > MAX_DEPTH) return true;
  }
  return new RegExp(`^[ \\t]*(?:[-?][ \\t]+){${MAX_DEPTH}}`, 'm').test(yaml);
}

import { type Form, formsOf } from './forms.ts';

export const REDACTED = '[redacted]';

/** Takes secrets out of a stream of bytes, wherever the chunks are cut. */
export interface RedactingStream {
  /** What may be passed on by now; bytes that could be the start of a secret are held back. */
  push(chunk: Uint8Array): Uint8Array;
  /** The rest. */
  end(): Uint8Array;
}

export interface Redactor {
  /** True where there is nothing to look for. */
  readonly empty: boolean;
  text(text: string): string;
  /** A text that holds one byte a character, as header values come. */
  latin1(text: string): string;
  /** Texts anywhere in a JSON value, keys included. */
  json<Value>(value: Value): Value;
  stream(): RedactingStream;
}

const MARK = Buffer.from(REDACTED, 'latin1').toString('latin1');

/**
 * Removes every form of the values: raw, base64 and base64url at every alignment, URL-encoded, JSON-escaped,
 * HTML-escaped and hex. What a server computes from a secret (a hash, a reversal) can't be found.
 */
export function createRedactor(values: Iterable<string>): Redactor {
  const forms = [...new Set(values)].flatMap((value) => [...formsOf(value)]);
  // Longest first, so that one secret that begins with another one goes whole.
  forms.sort((left, right) => right.length - left.length);
  const byFirst = indexByFirst(forms);
  const empty = forms.length === 0;

  const text = (input: string): string => {
    if (empty || input === '') return input;
    const latin = Buffer.from(input, 'utf8').toString('latin1');
    const found = scan(latin, byFirst, true);
    return found.changed ? Buffer.from(found.output, 'latin1').toString('utf8') : input;
  };
  return {
    empty,
    text,
    latin1: (input) => (empty ? input : scan(input, byFirst, true).output),
    json: <Value>(value: Value): Value => (empty ? value : (redactJson(value, text, 0) as Value)),
    stream: () => createStream(byFirst, empty),
  };
}

function createStream(byFirst: Index, empty: boolean): RedactingStream {
  let held = '';
  return {
    push(chunk) {
      if (empty) return chunk;
      const found = scan(
        held + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('latin1'),
        byFirst,
        false,
      );
      held = found.rest;
      return Buffer.from(found.output, 'latin1');
    },
    end() {
      const found = scan(held, byFirst, true);
      held = '';
      return Buffer.from(found.output, 'latin1');
    },
  };
}

type Index = readonly (readonly Form[] | undefined)[];

function indexByFirst(forms: readonly Form[]): Index {
  const index: Form[][] = [];
  for (const form of forms) {
    for (const first of new Set(form[0]?.map((spelling) => spelling.charCodeAt(0)))) {
      const list = index[first] ?? [];
      list.push(form);
      index[first] = list;
    }
  }
  return index;
}

interface Scan {
  readonly output: string;
  /** Held back: may yet become a secret. */
  readonly rest: string;
  readonly changed: boolean;
}

function scan(input: string, byFirst: Index, final: boolean): Scan {
  let output = '';
  let copied = 0;
  let changed = false;
  for (let at = 0; at < input.length; ) {
    const candidates = byFirst[input.charCodeAt(at)];
    let end: number | undefined;
    let partial = false;
    for (const form of candidates ?? []) {
      const match = matchForm(input, at, form);
      if (match === 'partial') partial = true;
      else if (match !== undefined && (end === undefined || match > end)) end = match;
    }
    if (partial && !final) {
      return { output: output + input.slice(copied, at), rest: input.slice(at), changed };
    }
    if (end === undefined) at += 1;
    else {
      output += input.slice(copied, at) + MARK;
      at = end;
      copied = end;
      changed = true;
    }
  }
  return { output: output + input.slice(copied), rest: '', changed };
}

/** Where the form that begins at `at` ends; `partial` if the input ends first. The furthest of all spellings. */
function matchForm(input: string, at: number, form: Form): number | 'partial' | undefined {
  let positions = [at];
  let partial = false;
  for (const spellings of form) {
    const next: number[] = [];
    for (const position of positions) {
      for (const spelling of spellings) {
        if (input.startsWith(spelling, position)) {
          const after = position + spelling.length;
          if (!next.includes(after)) next.push(after);
        } else if (position + spelling.length > input.length && spelling.startsWith(input.slice(position))) {
          partial = true;
        }
      }
    }
    if (next.length === 0) return partial ? 'partial' : undefined;
    positions = next;
  }
  return Math.max(...positions);
}

const DEEPEST = 64;

function redactJson(value: unknown, text: (input: string) => string, depth: number): unknown {
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return REDACTED;
  if (Array.isArray(value)) return value.map((entry) => redactJson(entry, text, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [text(key), redactJson(entry, text, depth + 1)]),
  );
}

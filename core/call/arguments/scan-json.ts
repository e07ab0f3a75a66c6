/** What the grammar wanted where a text stopped being JSON. The catalogues turn it into words. */
export type JsonExpectation =
  | 'value'
  | 'key'
  | 'key_or_end'
  | 'colon'
  | 'comma_or_end'
  | 'end_of_text'
  | 'escape'
  | 'control_character'
  | 'number'
  | 'literal';

export interface JsonFacts {
  /** Deepest nesting of objects and arrays. */
  readonly depth: number;
  /** A number literal that a double can't hold: an integer with lost digits or a value past the largest. */
  readonly hasInexactNumber: boolean;
  /** First key that one object holds twice. */
  readonly duplicateKey?: string;
}

export type JsonScan =
  | { readonly kind: 'complete'; readonly facts: JsonFacts }
  /** Right as far as it goes, but it ends too early. */
  | { readonly kind: 'cut' }
  | { readonly kind: 'malformed'; readonly index: number; readonly expected: JsonExpectation };

/**
 * Tells JSON from JSON that was cut off and from text that is no JSON. `JSON.parse` reports both failures alike, yet
 * one means "ask for a shorter call" and the other "write it properly"; a repair library would make a value of
 * either, and running half a call is the one thing that must never happen.
 */
export function scanJson(text: string): JsonScan {
  return new Scanner(text).scan();
}

class Stop extends Error {
  readonly result: JsonScan;
  constructor(result: JsonScan) {
    super();
    this.result = result;
  }
}

interface Container {
  /** Keys seen so far; absent in an array. */
  readonly keys?: Set<string>;
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** A number that may still become one: the text ends inside it. */
const NUMBER_START = /-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:(?<=\d)[eE][+-]?\d*)?)?$/y;
/** What stands for itself in a string: all but control characters, the quote and the backslash. */
const PLAIN = /[ !#-[\]-\uffff]*/y;
const LITERALS = ['true', 'false', 'null'];
const ESCAPES = '"\\/bfnrtu';

class Scanner {
  readonly #text: string;
  readonly #open: Container[] = [];
  #index = 0;
  #depth = 0;
  #hasInexactNumber = false;
  #duplicateKey: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): JsonScan {
    try {
      this.#scanAll();
    } catch (error) {
      if (error instanceof Stop) return error.result;
      throw error;
    }
    const duplicate = this.#duplicateKey === undefined ? {} : { duplicateKey: this.#duplicateKey };
    return {
      kind: 'complete',
      facts: { depth: this.#depth, hasInexactNumber: this.#hasInexactNumber, ...duplicate },
    };
  }

  // A loop with its own stack: nesting as deep as the text is long must not end in a stack overflow.
  #scanAll(): void {
    let closed = this.#value();
    while (this.#open.length > 0) {
      if (closed) closed = this.#afterValue();
      else closed = this.#firstMember();
    }
    this.#skipSpace();
    if (this.#index < this.#text.length) this.#malformed('end_of_text');
  }

  /** Reads one value. A container is only opened: false says that its members follow. */
  #value(): boolean {
    const character = this.#peek();
    if (character === '{' || character === '[') {
      this.#open.push(character === '{' ? { keys: new Set() } : {});
      this.#depth = Math.max(this.#depth, this.#open.length);
      this.#index += 1;
      return false;
    }
    if (character === '"') this.#string();
    else if (character === '-' || (character >= '0' && character <= '9')) this.#number();
    else this.#literal();
    return true;
  }

  #firstMember(): boolean {
    const container = this.#top();
    const character = this.#peek();
    if (character === (container.keys ? '}' : ']')) return this.#close();
    if (container.keys) this.#key(container.keys, 'key_or_end');
    return this.#value();
  }

  #afterValue(): boolean {
    const container = this.#top();
    const character = this.#peek();
    if (character === (container.keys ? '}' : ']')) return this.#close();
    if (character !== ',') this.#malformed('comma_or_end');
    this.#index += 1;
    if (container.keys) this.#key(container.keys, 'key');
    return this.#value();
  }

  #close(): true {
    this.#open.pop();
    this.#index += 1;
    return true;
  }

  #key(keys: Set<string>, expected: JsonExpectation): void {
    if (this.#peek() !== '"') this.#malformed(expected);
    const from = this.#index;
    this.#string();
    const key: string = JSON.parse(this.#text.slice(from, this.#index)); // a string token, just scanned
    if (keys.has(key)) this.#duplicateKey ??= key;
    keys.add(key);
    if (this.#peek() !== ':') this.#malformed('colon');
    this.#index += 1;
  }

  #string(): void {
    const text = this.#text;
    this.#index += 1;
    for (;;) {
      PLAIN.lastIndex = this.#index;
      PLAIN.test(text);
      this.#index = PLAIN.lastIndex;
      if (this.#index >= text.length) this.#cut();
      const code = text.charCodeAt(this.#index);
      if (code === 0x22) break;
      if (code !== 0x5c) this.#malformed('control_character');
      this.#escape();
    }
    this.#index += 1;
  }

  #escape(): void {
    const letter = this.#text[this.#index + 1];
    if (letter === undefined) this.#cut();
    if (!ESCAPES.includes(letter)) this.#malformed('escape');
    this.#index += 2;
    if (letter !== 'u') return;
    for (let digit = 0; digit < 4; digit += 1) {
      const character = this.#text[this.#index];
      if (character === undefined) this.#cut();
      if (!/[0-9a-fA-F]/.test(character)) this.#malformed('escape');
      this.#index += 1;
    }
  }

  #number(): void {
    NUMBER.lastIndex = this.#index;
    const literal = NUMBER.exec(this.#text)?.[0];
    NUMBER_START.lastIndex = this.#index;
    // `12` at the very end may be the start of `123`; at the root there is nothing that would close it.
    const open = NUMBER_START.test(this.#text);
    if (open && (this.#open.length > 0 || literal === undefined)) this.#cut();
    if (literal === undefined) this.#malformed('number');
    this.#index += literal.length;
    if (!isExactNumber(literal)) this.#hasInexactNumber = true;
  }

  #literal(): void {
    const rest = this.#text.slice(this.#index, this.#index + 5);
    const literal = LITERALS.find((candidate) => rest.startsWith(candidate));
    if (literal === undefined) {
      if (LITERALS.some((candidate) => candidate.startsWith(rest))) this.#cut();
      this.#malformed(LITERALS.some((candidate) => candidate[0] === rest[0]) ? 'literal' : 'value');
    }
    this.#index += literal.length;
  }

  #skipSpace(): void {
    while (this.#index < this.#text.length && ' \t\n\r'.includes(this.#text.charAt(this.#index)))
      this.#index += 1;
  }

  /** The next character that counts; the end of the text means that it was cut. */
  #peek(): string {
    this.#skipSpace();
    const character = this.#text[this.#index];
    if (character === undefined) this.#cut();
    return character;
  }

  #top(): Container {
    return this.#open.at(-1) ?? {};
  }

  #cut(): never {
    throw new Stop({ kind: 'cut' });
  }

  #malformed(expected: JsonExpectation): never {
    throw new Stop({ kind: 'malformed', index: this.#index, expected });
  }
}

const INTEGER = /^-?\d+$/;

/** False where `JSON.parse` would lose digits of an integer, or make Infinity of a number. */
export function isExactNumber(literal: string): boolean {
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  if (Number.isSafeInteger(value) || !INTEGER.test(literal)) return true;
  return BigInt(literal) === BigInt(value);
}

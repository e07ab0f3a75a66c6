import { ANY_CHARACTER, literal, type Read, readClass, readEscape } from './pattern-characters.ts';
import { PatternRefused } from './pattern-refused.ts';

export interface PatternParts {
  /** About how many instructions it compiles to, classes of many ranges counted more. */
  readonly weight: number;
  /** RE2 patterns: each must match, or must not where `holds` is false. */
  readonly clauses: readonly { readonly text: string; readonly holds: boolean }[];
  /** Bounds on the number of characters of the whole text. */
  readonly length?: { readonly minimum: number; readonly maximum: number };
}

/** Counts above this are refused by RE2. */
const MAX_COUNT = 1_000;
/** A bound on the whole text above this is checked by its length, not by a program that counts. */
const MAX_WHOLE_COUNT = 64;
/** What a pattern may weigh; known before RE2 sees it, for `(?:long text){1000}` takes seconds to compile. */
const MAX_WEIGHT = 4_000;
/** A class by Unicode property has hundreds of ranges. */
const PROPERTY_WEIGHT = 8;
/** Counts up to this are written out as a sequence of smaller ones. */
const MAX_EXPANDED = 10_000;
const LOOK_AROUND =
  'uses a look-around in a place where it can’t be matched in linear time; leave it out, or split the pattern with allOf and not';

/** Reads an ECMAScript pattern (the older, lenient syntax too) and writes it in RE2's. */
export class PatternReader {
  private readonly characters: readonly string[];
  private index = 0;
  private readonly conditions: { text: string; holds: boolean }[] = [];
  private dotAll = false;
  private groups = 0;
  private weight = 0;

  constructor(source: string) {
    this.characters = [...source];
  }

  read(): PatternParts {
    const whole = this.readWholeCount();
    if (whole) return whole;
    const anchored = this.peek() === '^' && !this.hasTopLevelAlternative();
    if (anchored) {
      this.index++;
      while (this.startsWith('(?=') || this.startsWith('(?!')) this.readLookAhead();
    }
    const body = this.readAlternatives(anchored);
    if (this.index < this.characters.length) throw new PatternRefused('closes a group that was never opened');
    const clauses = [{ text: anchored ? `^${body}` : body, holds: true }, ...this.conditions];
    return { clauses, weight: this.weight };
  }

  /** `^[\s\S]{1,5000}$`: a bound on the length and a pattern without a count. */
  private readWholeCount(): PatternParts | undefined {
    const match = /^\^(\[(?:\\.|[^\]\\])+\]|\\[dDwWsS]|\.)\{(\d{1,9})(?:,(\d{0,9}))?\}\$$/su.exec(
      this.characters.join(''),
    );
    const [, atom = '', from = '', to] = match ?? [];
    const minimum = Number(from);
    const maximum = to === undefined ? minimum : to === '' ? Number.POSITIVE_INFINITY : Number(to);
    if (!match || (minimum <= MAX_WHOLE_COUNT && (maximum <= MAX_WHOLE_COUNT || to === ''))) return undefined;
    const one = new PatternReader(atom).read();
    const text = `^${one.clauses[0]?.text ?? ''}*$`;
    return { clauses: [{ text, holds: true }], weight: one.weight, length: { minimum, maximum } };
  }

  private readAlternatives(topLevel = false): string {
    let text = this.readSequence(topLevel);
    while (this.peek() === '|') {
      this.index++;
      text += `|${this.readSequence(false)}`;
    }
    return text;
  }

  private readSequence(topLevel: boolean): string {
    let text = '';
    while (this.index < this.characters.length && this.peek() !== '|' && this.peek() !== ')') {
      if (topLevel && this.isClosingLookBehind()) this.readLookBehind();
      else text += this.readTerm();
    }
    return text;
  }

  private readTerm(): string {
    const character = this.peek();
    if (character === '^' || character === '$') {
      this.index++;
      return character;
    }
    const before = this.weight;
    const atom = this.readAtom();
    const text = this.readQuantifier(atom, before);
    if (this.weight > MAX_WEIGHT) {
      throw new PatternRefused('repeats too much; use minLength, maxLength or a shorter pattern');
    }
    return text;
  }

  private readAtom(): string {
    const character = this.peek();
    this.weight++;
    if (character === '(') return this.readGroup();
    if (character === '[') {
      return this.take(readClass(this.characters, this.index));
    }
    if (character === '\\') {
      return this.take(readEscape(this.characters, this.index));
    }
    if ('*+?'.includes(character)) throw new PatternRefused('repeats nothing');
    this.index++;
    return character === '.' ? this.anyButLineEnd() : literal(character);
  }

  private take({ text, next }: Read): string {
    this.index = next;
    this.weight += (text.match(/\\p/gi)?.length ?? 0) * PROPERTY_WEIGHT + text.length / 100;
    return text;
  }

  private anyButLineEnd(): string {
    return this.dotAll ? ANY_CHARACTER : '[^\\n\\r\\x{2028}\\x{2029}]';
  }

  private readGroup(): string {
    if (++this.groups > 200) throw new PatternRefused('has more than 200 groups');
    const rest = this.characters.slice(this.index, this.index + 60).join('');
    if (/^\(\?<?[=!]/.test(rest)) throw new PatternRefused(LOOK_AROUND);
    if (rest.startsWith('(?>')) throw new PatternRefused('uses an atomic group, which is not ECMAScript');
    if (rest.startsWith('(?P='))
      throw new PatternRefused('uses a back-reference, which can’t be matched in linear time');
    const open = /^\((?:\?(?:P?<[\p{L}_$][\p{L}\p{N}_$]*>|([ims]*(?:-[ims]+)?)([:)])))?/u.exec(rest);
    const [start = '(', flags, end] = open ?? [];
    if (!open || (rest.startsWith('(?') && start === '('))
      throw new PatternRefused('has a group of an unknown kind');
    this.index += [...start].length;
    if (flags?.split('-')[0]?.includes('s')) this.dotAll = true;
    // `(?i)`: flags for what follows.
    if (end === ')') return start;
    const body = this.readAlternatives();
    if (this.peek() !== ')') throw new PatternRefused('lacks a closing parenthesis');
    this.index++;
    return `${flags ? `(?${flags}:` : '(?:'}${body})`;
  }

  private readQuantifier(atom: string, before: number): string {
    const rest = this.characters.slice(this.index, this.index + 24).join('');
    const match = /^(?:[*+?]|\{(\d+)(,)?(\d*)\})\??/.exec(rest);
    if (!match) return atom;
    this.index += match[0].length;
    if (/^[*+?]/.test(this.characters[this.index] ?? '')) {
      throw new PatternRefused('repeats a repetition (`a*+`), which is not ECMAScript');
    }
    if (match[1] === undefined) return `${atom}${match[0]}`;
    const minimum = Number(match[1]);
    const maximum = match[2] ? (match[3] ? Number(match[3]) : Number.POSITIVE_INFINITY) : minimum;
    if (maximum < minimum)
      throw new PatternRefused(`has the count ${match[0]}, whose numbers are out of order`);
    const times = maximum === Number.POSITIVE_INFINITY ? minimum + 1 : maximum;
    this.weight = before + (this.weight - before) * Math.max(1, times);
    return writeCount(atom, minimum, maximum);
  }

  private readLookAhead(): void {
    const holds = this.startsWith('(?=');
    this.index += 3;
    const body = this.readAlternatives();
    if (this.peek() !== ')') throw new PatternRefused('lacks a closing parenthesis');
    this.index++;
    this.conditions.push({ text: `^(?:${body})`, holds });
  }

  private readLookBehind(): void {
    const holds = this.startsWith('(?<=');
    this.index += 4;
    const body = this.readAlternatives();
    this.index++;
    this.conditions.push({ text: `(?:${body})$`, holds });
  }

  /** A look-behind is the last thing before the final `$`. */
  private isClosingLookBehind(): boolean {
    if (!this.startsWith('(?<=') && !this.startsWith('(?<!')) return false;
    const end = this.closingOf(this.index);
    return end === this.characters.length - 2 && this.characters[end + 1] === '$';
  }

  private hasTopLevelAlternative(): boolean {
    for (let index = 0; index < this.characters.length; index++) {
      if (this.characters[index] === '|') return true;
      index = this.skip(index);
    }
    return false;
  }

  /** The last index of what starts here: an escape, a class, a group or one character. */
  private skip(index: number): number {
    const character = this.characters[index];
    if (character === '\\') return index + 1;
    if (character === '[') return readClass(this.characters, index).next - 1;
    return character === '(' ? this.closingOf(index) : index;
  }

  private closingOf(open: number): number {
    let depth = 0;
    for (let index = open; index < this.characters.length; index++) {
      const character = this.characters[index];
      if (character === '(') depth++;
      else if (character === ')' && --depth === 0) return index;
      else if (character === '\\' || character === '[') index = this.skip(index);
    }
    throw new PatternRefused('lacks a closing parenthesis');
  }

  private peek(): string {
    return this.characters[this.index] ?? '';
  }

  private startsWith(text: string): boolean {
    return this.characters.slice(this.index, this.index + text.length).join('') === text;
  }
}

/** `x{n,m}`; greedy or lazy makes no difference to whether it matches. */
function writeCount(atom: string, minimum: number, maximum: number): string {
  const optional = maximum === Number.POSITIVE_INFINITY ? 0 : maximum - minimum;
  if (minimum + optional > MAX_EXPANDED) {
    throw new PatternRefused(
      `repeats a part more than ${MAX_EXPANDED} times; use minLength and maxLength instead`,
    );
  }
  if (maximum === Number.POSITIVE_INFINITY) {
    return minimum <= MAX_COUNT ? `${atom}{${minimum},}` : `${inSteps(atom, minimum, 'exactly')}${atom}*`;
  }
  if (maximum <= MAX_COUNT) return `${atom}{${minimum},${maximum}}`;
  return `(?:${inSteps(atom, minimum, 'exactly')}${inSteps(atom, optional, 'at most')})`;
}

function inSteps(atom: string, count: number, mode: 'exactly' | 'at most'): string {
  let text = '';
  for (let left = count; left > 0; left -= MAX_COUNT) {
    const step = Math.min(left, MAX_COUNT);
    text += mode === 'exactly' ? `${atom}{${step}}` : `${atom}{0,${step}}`;
  }
  return text;
}

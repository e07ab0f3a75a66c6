/**
 * Patterns with gaps, matched in time linear in the text: both the pattern (a stranger's schema.json) and the
 * text (a stranger's URL or path) may be hostile, so no backtracking regular expression takes part.
 */
export type WildcardPart =
  | { readonly kind: 'text'; readonly text: string }
  /** `least` or more characters, none of which is in `except`. */
  | { readonly kind: 'gap'; readonly least: 0 | 1; readonly except: string }
  /** Exactly one character that is not in `except`. */
  | { readonly kind: 'one'; readonly except: string }
  /** Zero or more whole path segments, each with its slash: the `**` + `/` of a glob. */
  | { readonly kind: 'segments' }
  | { readonly kind: 'optional'; readonly parts: readonly WildcardPart[] };

export interface Wildcard {
  /** States that may be active together: what one character of a hostile text can cost. 0 without a wildcard. */
  readonly cost: number;
  matches(text: string): boolean;
  /** Is there a text beginning with `prefix` that matches? */
  canContinue(prefix: string): boolean;
  /** Does every text beginning with `prefix` match? (Sound, not complete.) */
  coversAll(prefix: string): boolean;
}

interface State {
  /** The code point that it takes, or one of the two below. */
  readonly takes: number;
  /** For `ANY_BUT`: code points that it doesn't take. */
  readonly except: readonly number[];
  /** The state that follows once a character was taken. */
  readonly after: number;
  /** States that are reached without taking one. */
  readonly free: readonly number[];
  /** Takes anything for ever. */
  readonly endless: boolean;
}

const ANY_BUT = -1;
const NOTHING = -2;
const SLASH = 0x2f;

export function compileWildcard(parts: readonly WildcardPart[]): Wildcard {
  const states: State[] = [];
  build(parts, states);
  const end = states.length;
  const closures = states.map((_state, index) => closureOf(states, index));
  const last = Int32Array.of(end);
  // Used by one walk at a time: nothing in a walk waits.
  const seenAt = new Int32Array(end + 1);
  let active = new Int32Array(end + 1);
  let following = new Int32Array(end + 1);
  let round = 0;
  let count = 0;

  /** Adds a state, and those that are reached from it without a character, to the ones that follow. */
  function open(index: number): void {
    const closure = closures[index] ?? last;
    // By index, here and below: iterators take five times as long, and this is the innermost loop.
    for (let at = 0; at < closure.length; at += 1) {
      const reached = closure[at] ?? end;
      if (seenAt[reached] === round) continue;
      seenAt[reached] = round;
      following[count] = reached;
      count += 1;
    }
  }

  /** Active states after the text: the first `count` of the list. */
  function walk(text: string): Int32Array {
    nextRound();
    open(0);
    [active, following] = [following, active];
    for (const character of text) {
      const code = character.codePointAt(0) ?? 0;
      const activeCount = count;
      nextRound();
      for (let at = 0; at < activeCount; at += 1) {
        const state = states[active[at] ?? end];
        if (state === undefined) continue;
        const { takes, except } = state;
        if (takes === code || (takes === ANY_BUT && (except.length === 0 || !except.includes(code))))
          open(state.after);
      }
      [active, following] = [following, active];
      if (count === 0) break;
    }
    return active;
  }

  function nextRound(): void {
    count = 0;
    round += 1;
    if (round < 0x7fff_ffff) return;
    seenAt.fill(0);
    round = 1;
  }

  return {
    cost: costOf(states),
    matches: (text) => walk(text).subarray(0, count).includes(end),
    canContinue: (prefix) => {
      walk(prefix);
      return count > 0;
    },
    coversAll: (prefix) =>
      walk(prefix)
        .subarray(0, count)
        .some((index) => index === end - 1 && states[index]?.endless === true),
  };
}

/** The state and all that are reached from it without a character. */
function closureOf(states: readonly State[], index: number): Int32Array {
  const reached = new Set([index]);
  // A set is walked over what is added meanwhile too.
  for (const one of reached) for (const next of states[one]?.free ?? []) reached.add(next);
  return Int32Array.from(reached);
}

/** Up to the first choice one state is active; from there on all may be. */
function costOf(states: readonly State[]): number {
  const first = states.findIndex(({ free }) => free.length > 0);
  return first < 0 ? 0 : states.length - first;
}

function build(parts: readonly WildcardPart[], states: State[]): void {
  for (const part of parts) addPart(part, states);
}

function addPart(part: WildcardPart, states: State[]): void {
  const here = states.length;
  switch (part.kind) {
    case 'text':
      for (const character of part.text)
        states.push(single(character.codePointAt(0) ?? 0, states.length + 1));
      return;
    case 'one':
      states.push(single(ANY_BUT, here + 1, codesOf(part.except)));
      return;
    case 'gap': {
      const except = codesOf(part.except);
      if (part.least === 1) states.push(single(ANY_BUT, here + 1, except));
      const loop = states.length;
      const endless = part.except === '';
      states.push({ takes: ANY_BUT, except, after: loop, free: [loop + 1], endless });
      return;
    }
    case 'segments': {
      const inside = { takes: ANY_BUT, except: [SLASH], after: here + 1, endless: false };
      // here: at the start of a segment. here+1: inside one. here+2: just after its slash.
      states.push({ ...inside, free: [here + 3] }, { ...inside, free: [here + 2] }, single(SLASH, here));
      return;
    }
    case 'optional': {
      const inner: State[] = [...states, single(NOTHING, here + 1)];
      build(part.parts, inner);
      states.push({ ...single(NOTHING, here + 1), free: [here + 1, inner.length] });
      states.push(...inner.slice(here + 1));
      return;
    }
  }
}

function codesOf(text: string): readonly number[] {
  return [...text].map((character) => character.codePointAt(0) ?? 0);
}

function single(takes: number, after: number, except: readonly number[] = []): State {
  return { takes, except, after, free: [], endless: false };
}

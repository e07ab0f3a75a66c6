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
  matches(text: string): boolean;
  /** Is there a text beginning with `prefix` that matches? */
  canContinue(prefix: string): boolean;
  /** Does every text beginning with `prefix` match? (Sound, not complete.) */
  coversAll(prefix: string): boolean;
}

interface State {
  readonly takes: ((character: string) => boolean) | undefined;
  /** States that follow once a character was taken. */
  readonly after: readonly number[];
  /** States that are reached without taking one. */
  readonly free: readonly number[];
  /** Takes anything for ever. */
  readonly endless: boolean;
}

export function compileWildcard(parts: readonly WildcardPart[]): Wildcard {
  const states: State[] = [];
  build(parts, states);
  const end = states.length;

  function open(active: Set<number>, index: number): void {
    if (active.has(index)) return;
    active.add(index);
    for (const next of states[index]?.free ?? []) open(active, next);
  }

  function walk(text: string): Set<number> {
    let active = new Set<number>();
    open(active, 0);
    for (const character of text) {
      const following = new Set<number>();
      for (const index of active) {
        const state = states[index];
        if (state?.takes?.(character)) for (const next of state.after) open(following, next);
      }
      active = following;
      if (active.size === 0) break;
    }
    return active;
  }

  return {
    matches: (text) => walk(text).has(end),
    canContinue: (prefix) => walk(prefix).size > 0,
    coversAll: (prefix) => {
      for (const index of walk(prefix)) if (index === end - 1 && states[index]?.endless) return true;
      return false;
    },
  };
}

function build(parts: readonly WildcardPart[], states: State[]): void {
  for (const part of parts) addPart(part, states);
}

function addPart(part: WildcardPart, states: State[]): void {
  const here = states.length;
  switch (part.kind) {
    case 'text':
      for (const character of part.text) {
        states.push(single((candidate) => candidate === character, states.length + 1));
      }
      return;
    case 'one':
      states.push(single((candidate) => !part.except.includes(candidate), here + 1));
      return;
    case 'gap': {
      const takes = (candidate: string) => !part.except.includes(candidate);
      if (part.least === 1) states.push(single(takes, here + 1));
      const loop = states.length;
      states.push({ takes, after: [loop], free: [loop + 1], endless: part.except === '' });
      return;
    }
    case 'segments':
      // here: at the start of a segment. here+1: inside one. here+2: just after its slash.
      states.push({ takes: (c) => c !== '/', after: [here + 1], free: [here + 3], endless: false });
      states.push({ takes: (c) => c !== '/', after: [here + 1], free: [here + 2], endless: false });
      states.push({ takes: (c) => c === '/', after: [here], free: [], endless: false });
      return;
    case 'optional': {
      const inner: State[] = [...states, single(() => false, here + 1)];
      build(part.parts, inner);
      states.push({ takes: undefined, after: [], free: [here + 1, inner.length], endless: false });
      states.push(...inner.slice(here + 1));
      return;
    }
  }
}

function single(takes: (character: string) => boolean, next: number): State {
  return { takes, after: [next], free: [], endless: false };
}

import type { TokenCounter } from './token-counter.ts';

export interface TextLimit {
  /** Characters (UTF-16 units) of the whole answer, the notice about the cut included. */
  readonly chars: number;
  /** Tokens of the whole answer, where a counter is given. */
  readonly tokens?: { readonly limit: number; readonly count: TokenCounter };
}

export interface CutText {
  readonly head: string;
  readonly tail: string;
  /** Characters between head and tail. */
  readonly omitted: number;
}

/** Part of the room that the beginning gets; the end often holds the total or the error, so it gets the rest. */
const HEAD_SHARE = 0.75;
/** How far back a better place to cut may lie. */
const SEARCH_SHARE = 0.3;
/** A token rarely stands for more characters; longer texts need no counting to be known as too long. */
const MAX_CHARS_PER_TOKEN = 16;
const MIN_ROOM = 16;

export function fits(text: string, { chars, tokens }: TextLimit): boolean {
  if (text.length > chars) return false;
  if (tokens === undefined) return true;
  return text.length <= tokens.limit * MAX_CHARS_PER_TOKEN && tokens.count(text) <= tokens.limit;
}

/**
 * The beginning and the end of a text that is too long, cut where its structure allows: between lines, else between
 * members of compact JSON, else between words, and never inside a character. `render` writes the whole answer, so
 * that what it adds counts too.
 */
export function cutText(text: string, limit: TextLimit, render: (cut: CutText) => string): string {
  let room = Math.min(limit.chars, text.length);
  if (limit.tokens !== undefined) room = Math.min(room, limit.tokens.limit * MAX_CHARS_PER_TOKEN);
  for (;;) {
    const answer = render(split(text, room));
    if (fits(answer, limit)) return answer;
    const next = shrink(room, answer, limit);
    if (next < MIN_ROOM) return render({ head: '', tail: '', omitted: text.length });
    room = next;
  }
}

function shrink(room: number, answer: string, { chars, tokens }: TextLimit): number {
  if (answer.length > chars) return room - (answer.length - chars);
  if (tokens === undefined) return 0;
  const share = tokens.limit / Math.max(1, tokens.count(answer));
  return Math.min(room - MIN_ROOM, Math.floor(room * share));
}

function split(text: string, room: number): CutText {
  const headRoom = Math.max(0, Math.floor(room * HEAD_SHARE));
  const headEnd = boundaryBefore(text, headRoom);
  const tailStart = boundaryAfter(text, Math.max(headEnd, text.length - Math.max(0, room - headRoom)));
  return { head: text.slice(0, headEnd), tail: text.slice(tailStart), omitted: tailStart - headEnd };
}

const BOUNDARIES: readonly RegExp[] = [/\n/g, /[,\]}](?=["[{\d\]}tfn-])/g, /\s/g];

/** The best place to end a page that starts at `from` and may reach up to `end`. */
export function boundaryBefore(text: string, end: number, from = 0): number {
  if (end >= text.length) return text.length;
  const searchFrom = from + Math.floor((end - from) * (1 - SEARCH_SHARE));
  const region = text.slice(searchFrom, end);
  for (const boundary of BOUNDARIES) {
    const last = [...region.matchAll(boundary)].at(-1);
    if (last !== undefined) return searchFrom + last.index + last[0].length;
  }
  return splitsPair(text, end) ? end - 1 : end;
}

function boundaryAfter(text: string, start: number): number {
  const region = text.slice(start, start + Math.floor((text.length - start) * SEARCH_SHARE));
  for (const boundary of BOUNDARIES) {
    const [first] = region.matchAll(boundary);
    if (first !== undefined) return start + first.index + first[0].length;
  }
  return splitsPair(text, start) ? start + 1 : start;
}

/** Would a cut here part the two halves of one character? */
function splitsPair(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

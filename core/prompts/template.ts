import type { LoadProblem } from '../plugin/problem.ts';
import { findSimilar } from '../schema/similar.ts';

export type Role = 'user' | 'assistant';

/** One message of a prompt, its places still open. */
export interface MessageTemplate {
  readonly role: Role;
  readonly pieces: readonly Piece[];
}

export type Piece = { readonly text: string } | { readonly argument: string };

export interface Template {
  readonly messages: readonly MessageTemplate[];
  /** Arguments that have a place. */
  readonly used: ReadonlySet<string>;
  readonly problems: readonly LoadProblem[];
}

export const ARGUMENT_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;
const MAX_MESSAGES = 100;
const MAX_PIECES = 10_000;
const MAX_PROBLEMS = 20;
const ROLE_LINE = /^##[ \t]+(user|assistant)[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** `{{name}}`; with a backslash before it, it stands for itself. Anything else in braces is text. */
const PLACE = /(\\?)\{\{[ \t]*([A-Za-z_][A-Za-z0-9_.-]{0,63})[ \t]*\}\}/g;

/**
 * Reads the body of a prompt. A line `## user` or `## assistant` begins a message of that role, but not inside a fenced
 * code block; before the first one it is the user's. `\## user` and `\{{name}}` are themselves.
 *
 * Roles and places are found here, before any value is filled in: a value can neither open a message nor a place.
 */
export function readTemplate(
  body: string,
  firstLine: number,
  names: readonly string[],
  file: string,
): Template {
  const problems: LoadProblem[] = [];
  const used = new Set<string>();
  const messages: MessageTemplate[] = [];
  for (const { role, text, line } of sections(body, firstLine)) {
    const pieces = piecesOf(text, (name, offset) => {
      if (names.includes(name)) used.add(name);
      else if (problems.length < MAX_PROBLEMS) {
        const at = line + text.slice(0, offset).split('\n').length - 1;
        problems.push({ file, line: at, message: unknownPlace(name, names) });
      }
    });
    if (pieces.length > 0) messages.push({ role, pieces });
  }
  if (messages.length === 0) problems.push({ file, line: firstLine, message: 'the prompt has no text' });
  if (messages.length > MAX_MESSAGES)
    problems.push({ file, message: `has more than ${MAX_MESSAGES} messages` });
  if (messages.reduce((sum, { pieces }) => sum + pieces.length, 0) > MAX_PIECES)
    problems.push({ file, message: `has more than ${MAX_PIECES} places for arguments` });
  return { messages, used, problems };
}

function unknownPlace(name: string, names: readonly string[]): string {
  const meant = findSimilar(name, names);
  const hint =
    meant === undefined
      ? `add it to "arguments", or write \\{{${name}}} for the text itself`
      : `did you mean "${meant}"?`;
  return `{{${name}}} names no argument; ${hint}`;
}

interface Section {
  readonly role: Role;
  readonly text: string;
  /** Of its first line of text. */
  readonly line: number;
}

function sections(body: string, firstLine: number): Section[] {
  const found: Section[] = [];
  let role: Role = 'user';
  let lines: string[] = [];
  let begins = firstLine;
  let fence: string | undefined;
  const close = (): void => {
    const blank = lines.findIndex((line) => line.trim() !== '');
    const text = lines.slice(Math.max(0, blank)).join('\n').trimEnd();
    if (blank >= 0) found.push({ role, text, line: begins + blank });
  };
  for (const [index, line] of body.split('\n').entries()) {
    const [, mark] = FENCE.exec(line) ?? [];
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence) === true && line.trim() === mark) fence = undefined;
    const named = fence === undefined ? ROLE_LINE.exec(line)?.[1] : undefined;
    if (named === undefined) {
      lines.push(line.replace(/^\\(?=##[ \t]+(?:user|assistant)[ \t]*$)/, ''));
      continue;
    }
    close();
    role = named === 'assistant' ? 'assistant' : 'user';
    lines = [];
    begins = firstLine + index + 1;
  }
  close();
  return found;
}

function piecesOf(text: string, onPlace: (name: string, offset: number) => void): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  const add = (to: number): void => {
    if (to > from) pieces.push({ text: text.slice(from, to) });
  };
  for (const match of text.matchAll(PLACE)) {
    const [whole, backslash, name = ''] = match;
    add(match.index);
    from = match.index + whole.length;
    if (backslash !== '') pieces.push({ text: whole.slice(1) });
    else {
      onPlace(name, match.index);
      pieces.push({ argument: name });
    }
  }
  add(text.length);
  return pieces;
}

export interface PromptMessage {
  readonly role: Role;
  readonly content: { readonly type: 'text'; readonly text: string };
}

/** The messages with the values in their places, or undefined where that would be more than `maxChars`. */
export function fillTemplate(
  messages: readonly MessageTemplate[],
  values: Readonly<Record<string, unknown>>,
  maxChars: number,
): readonly PromptMessage[] | undefined {
  const textOf = (piece: Piece): string => {
    if ('text' in piece) return piece.text;
    const value = Object.hasOwn(values, piece.argument) ? values[piece.argument] : undefined;
    return typeof value === 'string' ? value : '';
  };
  const length = messages.reduce(
    (sum, { pieces }) => pieces.reduce((chars, piece) => chars + textOf(piece).length, sum),
    0,
  );
  if (length > maxChars) return undefined;
  return messages.map(({ role, pieces }) => ({
    role,
    content: { type: 'text', text: pieces.map(textOf).join('') },
  }));
}

import { stripAnsi } from '../strip-ansi.ts';

/**
 * Text by a model, a tool or its author, fit for a terminal: no escape sequences and control characters, which could
 * rewrite what is on the screen, and no direction marks, which could show another command than the one that runs.
 */
export function printable(text: string): string {
  return withoutControls(stripAnsi(text));
}

/** As {@link printable}, one sign for one: for text whose columns count. */
export function withoutControls(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD');
}

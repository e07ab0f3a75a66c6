import { type ExactJson, parseExact, toPlainJson, writeExact } from '../arguments/exact-json.ts';
import { scanJson } from '../arguments/scan-json.ts';
import type { Catalogue } from '../messages/catalogue.ts';
import type { CallSuccess, ContentPart, Issue } from '../result.ts';
import { readContent } from './content-parts.ts';
import { cutText, fits, type TextLimit } from './cut-text.ts';
import { type Redact, redactValue } from './redact-value.ts';
import type { TextStore } from './text-store.ts';

/** Deeper results would overflow the stack of everything that walks them, in this process. */
const MAX_RESULT_DEPTH = 256;

export interface ShapeOptions {
  readonly catalogue: Catalogue;
  /** How values are written: `pretty` (two blanks) or `compact`. */
  readonly format: 'pretty' | 'compact';
  readonly limit: TextLimit;
  /** Where the rest of a text that was cut waits for `read_more`. */
  readonly store: TextStore;
  readonly session: string | undefined;
  /** Applied to every text of the result before anything else sees it. */
  readonly redact?: Redact | undefined;
  /** What is wrong with the value by the tool's `returns`; the value itself is never changed for it. */
  readonly check?: ((value: unknown) => readonly Issue[]) | undefined;
}

/** What the model reads, and what a program gets besides. */
export type Shown = Pick<CallSuccess, 'content' | 'value' | 'parts' | 'truncated'>;

export type ShapedResult =
  | { readonly kind: 'success'; readonly shown: Shown }
  | { readonly kind: 'mismatch'; readonly issues: readonly Issue[] }
  | { readonly kind: 'unwritable'; readonly detail: string }
  /** The tool answered in MCP's form that it failed. */
  | { readonly kind: 'reported_error'; readonly text: string };

/** Turns the JSON that a tool answered with into what the model reads and what a program gets. */
export function shapeResult(json: string | undefined, options: ShapeOptions): ShapedResult {
  const read = readJson(json ?? 'null');
  if ('detail' in read) return { kind: 'unwritable', detail: read.detail };
  const { redact, catalogue } = options;
  const exact = redact === undefined ? read.value : (redactValue(read.value, redact) as ExactJson); // texts for texts
  // A redaction may break a pattern, so `returns` is held against what the tool really gave.
  const raw = toPlainJson(read.value);
  const content = readContent(raw, catalogue);
  if (content?.isError === true) return { kind: 'reported_error', text: content.text };
  const issues = options.check?.(content?.structured ?? raw) ?? [];
  if (issues.length > 0) return { kind: 'mismatch', issues };
  const value = toPlainJson(exact);
  const shown = content === undefined ? undefined : readContent(value, catalogue);
  // Half a character is legal in a text of JavaScript, and refused by those who are sent it as UTF-8.
  const text = (shown === undefined ? writeText(exact, options) : shown.text).toWellFormed();
  const bounded = boundText(text, options);
  const whole = json === undefined ? bounded : { ...bounded, value: shown?.structured ?? value };
  return { kind: 'success', shown: { ...whole, ...partsOf(shown?.parts) } };
}

function readJson(json: string): { readonly value: ExactJson } | { readonly detail: string } {
  const scan = scanJson(json);
  if (scan.kind !== 'complete') return { detail: 'it is no JSON' };
  if (scan.facts.depth > MAX_RESULT_DEPTH)
    return { detail: `it is nested deeper than ${MAX_RESULT_DEPTH} levels` };
  return { value: parseExact(json, scan.facts.hasInexactNumber) };
}

function writeText(value: ExactJson, { catalogue, format }: ShapeOptions): string {
  if (value === null) return catalogue.noValue;
  if (typeof value === 'string') return value;
  return format === 'pretty' ? writeExact(value, 2) : writeExact(value);
}

function partsOf(parts: readonly ContentPart[] | undefined): Pick<CallSuccess, 'parts'> {
  return parts === undefined || parts.length === 0 ? {} : { parts };
}

function boundText(
  text: string,
  { catalogue, limit, store, session }: ShapeOptions,
): Pick<CallSuccess, 'content' | 'truncated'> {
  if (fits(text, limit)) return { content: text };
  const handle = store.put(text, session);
  const content = cutText(text, limit, ({ head, tail, omitted }) => {
    const notice = catalogue.leftOut(omitted, text.length, handle, head.length);
    return [head.replace(/\n$/, ''), notice, tail].filter((piece) => piece !== '').join('\n');
  });
  return { content, truncated: { totalChars: text.length, ...(handle === undefined ? {} : { handle }) } };
}

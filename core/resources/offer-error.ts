import { CATALOGUES } from '../call/messages/catalogues.ts';
import type { CallFailure, ErrorCode, ToolError } from '../call/result.ts';
import { printName } from '../call/runtime.ts';
import type { Locale } from '../config/index.ts';
import { findSimilar } from '../schema/similar.ts';

/** Why a resource can't be read, or a prompt not written. */
export interface OfferError extends Omit<ToolError, 'code'> {
  /** `unknown_*`: there is no such thing, so nothing ran; anything else is a call's own code. */
  readonly code: ErrorCode | 'unknown_resource' | 'unknown_prompt' | 'unknown_argument';
}

export interface OfferFailure {
  readonly ok: false;
  readonly error: OfferError;
  /** The same as one bounded text, as a model would read it. */
  readonly content: string;
}

export function failureOf({ error, content }: CallFailure): OfferFailure {
  return { ok: false, error, content };
}

type Unknown = Exclude<OfferError['code'], ErrorCode>;

const WORDS: Readonly<
  Record<
    Locale,
    Readonly<Record<Unknown, (name: string) => string>> & {
      readonly meant: (name: string) => string;
    }
  >
> = {
  en: {
    unknown_resource: (uri) => `There is no resource "${uri}".`,
    unknown_prompt: (name) => `There is no prompt named "${name}".`,
    unknown_argument: (name) => `There is no argument or variable named "${name}" here.`,
    meant: (name) => `Did you mean "${name}"?`,
  },
  zh: {
    unknown_resource: (uri) => `没有资源“${uri}”。`,
    unknown_prompt: (name) => `没有名为“${name}”的提示词。`,
    unknown_argument: (name) => `这里没有名为“${name}”的参数或变量。`,
    meant: (name) => `您是不是指“${name}”？`,
  },
};

export function unknown(
  locale: Locale,
  code: Unknown,
  name: unknown,
  known: readonly string[],
): OfferFailure {
  const words = WORDS[locale];
  const printed = printName(name);
  const message = words[code](printed);
  const meant = findSimilar(printed, known);
  const hint = meant === undefined ? undefined : words.meant(printName(meant));
  const error: OfferError = {
    ...{ code, message, outcome: 'did_not_run', retry: 'after_change' },
    ...(hint === undefined ? {} : { hint }),
  };
  const text = hint === undefined ? message : `${message}\n${hint}`;
  return { ok: false, error, content: `${CATALOGUES[locale].prefix}${text}` };
}

import type { Locale } from '../../../config/index.ts';
import type { ApprovalRequest } from '../../../permissions/index.ts';

const MAX_ARGUMENT_CHARS = 2_000;

const WORDS: Readonly<
  Record<Locale, { readonly may: (tool: string) => string; readonly with: string; readonly cut: string }>
> = {
  en: { may: (tool) => `May the tool "${tool}" run?`, with: 'Its arguments:', cut: '[cut]' },
  zh: { may: (tool) => `是否允许运行工具“${tool}”？`, with: '参数：', cut: '［已截断］' },
};

/** What a person is asked before a call. Tool names and arguments are strangers' text: nothing in it steers a terminal. */
export function questionText({ tool, arguments: args }: ApprovalRequest, locale: Locale): string {
  const words = WORDS[locale];
  const json = plain(JSON.stringify(args, null, 2));
  const shown =
    json.length > MAX_ARGUMENT_CHARS
      ? `${json.slice(0, MAX_ARGUMENT_CHARS).toWellFormed()}\n${words.cut}`
      : json;
  return `${words.may(plain(tool.manifest.name))}\n\n${words.with}\n${shown}`;
}

function plain(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD');
}

import { download } from './download.ts';
import { htmlToPage, type Page } from './html-to-page.ts';
import { decodeText, kindOf } from './media.ts';
import { readAddress } from './read-address.ts';
import type { Arguments, Context } from './schema.d.ts';

const DEFAULT_CHARS = 10_000;

export default async function fetchPage(options: Arguments, ctx: Context): Promise<string> {
  const { content = 'main', links = true, maxChars = DEFAULT_CHARS, start = 0 } = options;
  const url = readAddress(options.url);
  const answer = await download(url, ctx.signal);
  const kind = kindOf(answer);
  if (kind === 'binary') throw new Error(describeBinary(answer.type, answer.bytes.length));
  const text = decodeText(answer.bytes, answer.charset, kind === 'html');
  const page: Page =
    kind === 'html'
      ? htmlToPage(text, answer.url, { main: content === 'main', links })
      : { title: undefined, facts: [], markdown: text.trim(), notes: [] };
  const notes = [...page.notes];
  if (answer.cut) notes.push('The page is larger than what is read of one page; its end is missing.');
  return layOut({ ...page, notes }, answer.url, url, start, maxChars);
}

function layOut(page: Page, final: string, asked: string, start: number, maxChars: number): string {
  const { title, facts, markdown, notes } = page;
  const part = markdown.slice(start, endOfPart(markdown, start, maxChars));
  if (start > 0 && part === '')
    throw new Error(`"start" is ${start}, but the page has only ${markdown.length} characters.`);
  const end = start + part.length;
  const head = [
    ...(title === undefined || title === '' ? [] : [`# ${title}`, '']),
    `URL: ${final}${final === asked ? '' : ` (redirected from ${asked})`}`,
    ...(start === 0 ? facts : []),
    ...notes.map((note) => `Note: ${note}`),
  ];
  const body = part.trim() === '' ? '(The page has no text.)' : part.trim();
  const rest =
    start === 0 && end >= markdown.length
      ? []
      : [
          '',
          `[Characters ${start}-${end} of ${markdown.length}.${end < markdown.length ? ` Go on with "start": ${end}.` : ' This is the end.'}]`,
        ];
  return [...head, '', body, ...rest].join('\n');
}

/** A part ends at a line, or at least at a word, where that costs little; never within a surrogate pair. */
function endOfPart(text: string, start: number, maxChars: number): number {
  const limit = start + maxChars;
  if (limit >= text.length) return text.length;
  const least = start + Math.floor(maxChars * 0.8);
  for (const separator of ['\n\n', '\n', ' ']) {
    const found = text.lastIndexOf(separator, limit);
    if (found > least) return found;
  }
  const unit = text.charCodeAt(limit - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? limit - 1 : limit;
}

function describeBinary(type: string, bytes: number): string {
  const size = bytes >= 1_048_576 ? `${(bytes / 1_048_576).toFixed(1)} MB` : `${Math.ceil(bytes / 1024)} KB`;
  return `The address leads to ${type === '' ? 'binary data' : type} (${size}), not to a page of text. This tool can't read it; look for a page that describes it.`;
}

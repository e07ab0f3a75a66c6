import { posix } from 'node:path';
import { compileWildcard, type Wildcard, type WildcardPart } from '../wildcard.ts';

/** `./data/**`, ready to match against absolute paths with `/` between segments. */
export interface FileRule {
  readonly text: string;
  /** What one character of a path can cost, as {@link Wildcard.cost}. */
  readonly cost: number;
  /** Binds the rule to the directory that relative patterns start from (absolute, `/` between segments). */
  bind(base: string): Wildcard;
}

export type FileRuleResult =
  | { readonly ok: true; readonly rule: FileRule }
  | { readonly ok: false; readonly message: string };

const LONGEST_RULE = 1_000;
const MOST_GAPS = 16;

/**
 * Reads a glob of `*` (within a segment), `**` (whole segments) and `?`. `./data/` means `./data/**`, and
 * `./data/**` includes `./data` itself. Names that begin with a dot are matched like any other.
 */
export function parseFileRule(text: string): FileRuleResult {
  if (text.length === 0 || text.length > LONGEST_RULE)
    return refuse(`must have 1 to ${LONGEST_RULE} characters`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(text)) return refuse('holds a control character');
  if (text.includes('\\')) return refuse('holds a backslash; write / between directories');
  if (/[[\]{}!]/.test(text)) return refuse('may use only *, ** and ? as wildcards');
  if (text.startsWith('~')) return refuse('starts with ~, which is not expanded; write the path out');
  const segments = text.split('/');
  if (segments.includes('..')) return refuse('holds ".."; name the directory itself');
  if (segments.some((segment) => segment.includes('**') && segment !== '**')) {
    return refuse('uses ** beside other characters in one segment');
  }
  if ((text.match(/\*+/g) ?? []).length > MOST_GAPS) return refuse(`has more than ${MOST_GAPS} wildcards`);
  return {
    ok: true,
    rule: { text, cost: compileWildcard(globParts(text, '/')).cost, bind: (base) => bindRule(text, base) },
  };
}

function bindRule(text: string, base: string): Wildcard {
  const wildcard = compileWildcard(globParts(text, base));
  const root = isAbsolute(text) ? literalDirectory(text) : base === '/' ? '/' : `${base}/`;
  return {
    ...wildcard,
    // The directories above the rule's own are on the way to it too, but nobody's business.
    canContinue: (prefix) => prefix.startsWith(root) && wildcard.canContinue(prefix),
  };
}

function isAbsolute(text: string): boolean {
  return text.startsWith('/') || /^[A-Za-z]:\//.test(text);
}

/** `/srv/docs/` of `/srv/docs/*.md` and of `/srv/docs/a`. */
function literalDirectory(text: string): string {
  const wild = text.search(/[*?]/);
  return text.slice(0, (wild < 0 ? text : text.slice(0, wild)).lastIndexOf('/') + 1);
}

function globParts(text: string, base: string): WildcardPart[] {
  const absolute = isAbsolute(text);
  const open = text.endsWith('/') ? `${text}**` : text;
  const pattern = open
    .split('/')
    .filter((segment, index) => segment !== '.' && (segment !== '' || index === 0));
  const parts: WildcardPart[] = absolute ? [] : [{ kind: 'text', text: base === '/' ? '' : base }];
  const segments = absolute ? pattern.slice(1) : pattern.filter((segment) => segment !== '');
  if (absolute && pattern[0]) parts.push({ kind: 'text', text: pattern[0] });
  let slashDue = true;
  segments.forEach((segment, index) => {
    const last = index === segments.length - 1;
    if (segment === '**' && last) {
      if (slashDue) {
        parts.push({ kind: 'optional', parts: [slash, anything] });
      } else parts.push(anything);
      return;
    }
    if (slashDue) parts.push(slash);
    if (segment === '**') parts.push({ kind: 'segments' });
    else parts.push(...segmentParts(segment));
    slashDue = segment !== '**';
  });
  return parts;
}

const slash: WildcardPart = { kind: 'text', text: '/' };
const anything: WildcardPart = { kind: 'gap', least: 0, except: '' };

function segmentParts(segment: string): WildcardPart[] {
  return [...segment].map((character) => {
    if (character === '*') return { kind: 'gap', least: 0, except: '/' };
    if (character === '?') return { kind: 'one', except: '/' };
    return { kind: 'text', text: character };
  });
}

/** Absolute form of a host path with `/` between segments, as {@link FileRule.bind} wants it. */
export function toSlashes(path: string): string {
  const slashed = process.platform === 'win32' ? path.replaceAll('\\', '/') : path;
  return posix.normalize(slashed).replace(/(?<=.)\/$/, '');
}

function refuse(message: string): FileRuleResult {
  return { ok: false, message };
}

import { posix } from 'node:path';

export type GuestPath =
  | {
      readonly ok: true;
      /** As the plugin wrote it: the only form that messages show. */
      readonly shown: string;
      /** Absolute, `.` and `..` taken out, symbolic links not yet followed. */
      readonly absolute: string;
      /** For a grant: relative to the base where it is inside. */
      readonly target: string;
    }
  | { readonly ok: false; readonly shown: string; readonly reason: string };

const LONGEST_PATH = 4_096;
const LONGEST_NAME = 255;

/**
 * Reads a path from a plugin. Every spelling that some system reads as another path than it says is refused on all
 * of them, so that a plugin that is safe on one is safe on the others.
 */
export function readGuestPath(text: string, base: string): GuestPath {
  const refuse = (reason: string): GuestPath => ({ ok: false, shown: text.slice(0, 200), reason });
  if (text === '') return refuse('it is empty.');
  if (text.length > LONGEST_PATH) return refuse(`it is longer than ${LONGEST_PATH} characters.`);
  if (/\p{Cc}/u.test(text)) return refuse('it holds a control character.');
  if (!text.isWellFormed()) return refuse('it is not well-formed Unicode.');
  if (text.includes('\\')) return refuse('it holds a backslash; write / between directories.');
  if (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(text))
    return refuse('it is a URL or names a drive; write a plain path.');
  if (text.startsWith('~')) return refuse('it starts with ~, which is not expanded.');
  for (const segment of text.split('/')) {
    const problem = segmentProblem(segment);
    if (problem) return refuse(problem);
  }
  const absolute = posix.resolve(base, text);
  const relative = posix.relative(base, absolute);
  const inside = relative !== '..' && !relative.startsWith('../');
  const target = inside ? `./${relative}` : absolute === posix.normalize(text) ? absolute : `./${relative}`;
  return { ok: true, shown: text, absolute, target };
}

function segmentProblem(segment: string): string | undefined {
  if (segment === '' || segment === '.' || segment === '..') return undefined;
  if (Buffer.byteLength(segment) > LONGEST_NAME) return `a name in it is longer than ${LONGEST_NAME} bytes.`;
  if (/[. ]$/.test(segment)) return 'a name in it ends in a dot or a space.';
  if (segment.includes(':')) return 'a name in it holds a colon.';
  if (/[\p{Default_Ignorable_Code_Point}\p{Cf}]/u.test(segment))
    return 'a name in it holds an invisible character.';
  const folded = segment.normalize('NFKC');
  // Fullwidth dots and slashes turn into the real ones wherever a file system or a library folds them.
  if (
    folded !== segment &&
    (/[/\\:\u2024-\u2026]|^\.{1,2}$|\.\.|[. ]$/.test(folded) || /[\uff0e\u2215\u2044]/.test(segment))
  ) {
    return 'a name in it holds a character that reads as a dot or a slash.';
  }
  return undefined;
}

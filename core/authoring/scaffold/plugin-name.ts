export type PluginName =
  | {
      readonly ok: true;
      /** Folders, the last of which is the plugin's own. */
      readonly parts: readonly string[];
      /** `github.create_issue` */
      readonly name: string;
    }
  | { readonly ok: false; readonly message: string };

/** The shortest bound of the providers. */
const MAX_CHARS = 64;
const MAX_PARTS = 6;
const PART = /^[a-zA-Z][a-zA-Z0-9_-]*$/;

/** Reads `github/create_issue` or `github.create_issue`: names that every provider takes, and every file system. */
export function readPluginName(text: string): PluginName {
  const parts = text.split(/[/.]/);
  const name = parts.join('.');
  const wrong = parts.find((part) => !PART.test(part));
  if (wrong !== undefined) {
    const better = suggest(parts);
    const hint = better === undefined ? '' : ` What about "${better}"?`;
    return {
      ok: false,
      message: `the name "${text}" can't be used: letters, digits, _ and - make a name, a letter first, and / or . goes between a group and a name.${hint}`,
    };
  }
  if (name.length > MAX_CHARS)
    return {
      ok: false,
      message: `the name "${text}" has ${name.length} characters; providers take ${MAX_CHARS} at most`,
    };
  if (parts.length > MAX_PARTS)
    return { ok: false, message: `the name "${text}" has ${parts.length} parts; ${MAX_PARTS} are the most` };
  const reserved = parts.find((part) => part === 'node_modules');
  if (reserved !== undefined)
    return { ok: false, message: `"${reserved}" is the folder of packages; nothing in it is a plugin` };
  return { ok: true, parts, name };
}

/** `Get weather!` is `get_weather`. */
function suggest(parts: readonly string[]): string | undefined {
  const better = parts
    .map((part) =>
      part
        .normalize('NFKD')
        .replace(/[^a-zA-Z0-9_-]+/g, '_')
        .replace(/^[^a-zA-Z]+|[^a-zA-Z0-9]+$/g, '')
        .toLowerCase(),
    )
    .filter((part) => part !== '');
  return better.length === 0 ? undefined : better.join('/');
}

/** A name for code: `create_issue` is `createIssue`. */
export function toIdentifier(name: string): string {
  const words = name.split(/[^a-zA-Z0-9]+/).filter((word) => word !== '');
  const joined = words
    .map(
      (word, index) =>
        (index === 0 ? word.charAt(0).toLowerCase() : word.charAt(0).toUpperCase()) + word.slice(1),
    )
    .join('');
  return RESERVED.has(joined) || !/^[a-z]/i.test(joined)
    ? `run${joined.charAt(0).toUpperCase()}${joined.slice(1)}`
    : joined;
}

/** `create_issue` is `Create issue`. */
export function toTitle(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .split(/[^a-zA-Z0-9]+/)
    .join(' ')
    .trim()
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const RESERVED = new Set(
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield undefined'.split(
    ' ',
  ),
);

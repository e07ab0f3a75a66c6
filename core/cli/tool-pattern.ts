import { compileWildcard } from '../permissions/wildcard.ts';

/** A tool's name or a pattern, as it stands everywhere: `github.*`. */
export function compileNames(pattern: string): (name: string) => boolean {
  const compiled = compileWildcard(
    [...pattern].map((character) =>
      character === '*' ? { kind: 'gap', least: 0, except: '' } : { kind: 'text', text: character },
    ),
  );
  return (name) => compiled.matches(name);
}

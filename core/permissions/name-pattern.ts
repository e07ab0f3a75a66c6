import { compileWildcard, type Wildcard, type WildcardPart } from './wildcard.ts';

/** A tool's name, or a pattern in which `*` stands for any characters: `github.*`. */
export function namePattern(pattern: string): Wildcard {
  const parts = pattern.split('*').flatMap((text, index): WildcardPart[] => {
    const gap: WildcardPart[] = index === 0 ? [] : [{ kind: 'gap', least: 0, except: '' }];
    return text === '' ? gap : [...gap, { kind: 'text', text }];
  });
  return compileWildcard(parts);
}

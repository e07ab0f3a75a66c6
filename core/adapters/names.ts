import { createHash } from 'node:crypto';
import type { NameRules } from './targets.ts';

const HASH_CHARS = 8;

export function isLegalName(name: string, rules: NameRules): boolean {
  if (name.length === 0 || name.length > rules.length) return false;
  for (const character of name) {
    if (!rules.character.test(character)) return false;
  }
  return rules.first === undefined || rules.first.test(name[0] ?? '');
}

/**
 * Gives each name a legal and unique form. Legal names keep theirs. A changed name never depends on its
 * neighbours' order, and so stays the same while tools come and go: two that would meet both carry a hash.
 */
export function legalNames(names: Iterable<string>, rules: NameRules): Map<string, string> {
  const all = [...new Set(names)];
  const result = new Map<string, string>();
  const taken = new Set<string>();
  for (const name of all) {
    if (isLegalName(name, rules)) {
      result.set(name, name);
      taken.add(name);
    }
  }
  const changed = all
    .filter((name) => !result.has(name))
    .map((name) => ({ name, form: legalForm(name, rules) }));
  const wanted = new Map<string, number>();
  for (const { form } of changed) wanted.set(form, (wanted.get(form) ?? 0) + 1);
  for (const { name, form } of changed) {
    const unique = (wanted.get(form) ?? 0) > 1 || taken.has(form) ? withHash(name, form, rules, taken) : form;
    result.set(name, unique);
    taken.add(unique);
  }
  return result;
}

function legalForm(name: string, rules: NameRules): string {
  // Accents fall off (`año` -> `ano`); what is left and still illegal becomes `_`.
  const plain = name.normalize('NFKD').replace(/\p{M}+/gu, '');
  let form = '';
  for (const character of plain) form += rules.character.test(character) ? character : '_';
  if (!/[a-zA-Z0-9]/.test(form)) return `name_${hash(name)}`.slice(0, rules.length);
  if (rules.first !== undefined && !rules.first.test(form[0] ?? '')) form = `_${form}`;
  if (form.length <= rules.length) return form;
  return `${form.slice(0, rules.length - HASH_CHARS - 1)}_${hash(name)}`;
}

function withHash(name: string, form: string, rules: NameRules, taken: ReadonlySet<string>): string {
  for (let round = 0; ; round += 1) {
    const suffix = `_${hash(round === 0 ? name : `${name}#${round}`)}`;
    const candidate = `${form.slice(0, rules.length - suffix.length)}${suffix}`;
    if (!taken.has(candidate)) return candidate;
  }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARS);
}

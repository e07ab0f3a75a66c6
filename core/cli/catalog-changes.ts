import type { CatalogEntry } from '../catalog/catalog.ts';

/** What a look at the catalog shows that the look before did not. */
export type CatalogChange =
  | {
      readonly kind: 'loaded' | 'reloaded' | 'broken' | 'held' | 'recovered' | 'warned';
      readonly entry: CatalogEntry;
    }
  | { readonly kind: 'removed'; readonly entry: CatalogEntry };

/** Compares two lists of entries. Entries are known by their directory, for two of them can claim one name. */
export function compareEntries(
  before: readonly CatalogEntry[],
  after: readonly CatalogEntry[],
): CatalogChange[] {
  const old = new Map(before.map((entry) => [keyOf(entry), entry]));
  const changes = after.flatMap((entry): CatalogChange[] => {
    const previous = old.get(keyOf(entry));
    old.delete(keyOf(entry));
    const kind = kindOf(previous, entry);
    return kind === undefined ? [] : [{ kind, entry }];
  });
  return [...changes, ...[...old.values()].map((entry): CatalogChange => ({ kind: 'removed', entry }))];
}

const keyOf = ({ dir, origin, kind, name }: CatalogEntry) => `${kind} ${dir ?? `${origin}:${name}`}`;

function kindOf(
  previous: CatalogEntry | undefined,
  entry: CatalogEntry,
): Exclude<CatalogChange['kind'], 'removed'> | undefined {
  const { state, version } = entry;
  if (state !== 'ready') {
    const same = previous?.state === state && sameList(previous.problems, entry.problems);
    return same ? undefined : state;
  }
  if (previous === undefined) return 'loaded';
  if (previous.version === undefined) return 'loaded';
  if (previous.version !== version) return 'reloaded';
  if (previous.state !== 'ready') return 'recovered';
  return sameList(previous.warnings, entry.warnings) ? undefined : 'warned';
}

function sameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

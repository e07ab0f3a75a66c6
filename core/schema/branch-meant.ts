import type { ErrorObject } from 'ajv';
import { dereference } from './describe-schema.ts';
import { isRecord } from './pointer.ts';
import type { ErrorNode } from './unions.ts';

export interface Branch {
  readonly schema: unknown;
  readonly errors: readonly ErrorNode[];
}

export type Meant =
  | { readonly kind: 'branch'; readonly branch: Branch }
  /** Every branch is told by this key, and its value fits none (`received`), or it is missing. */
  | {
      readonly kind: 'discriminator';
      readonly key: string;
      readonly allowed: readonly unknown[];
      readonly missing: boolean;
    }
  /** Every branch wants another type. */
  | { readonly kind: 'types'; readonly types: readonly string[] }
  /** Every branch wants certain values. */
  | { readonly kind: 'values'; readonly allowed: readonly unknown[] }
  | { readonly kind: 'unclear' };

/** Which branch of anyOf or oneOf was a value that fits none of them meant for? */
export function findMeant(branches: readonly Branch[], value: unknown, at: string, root: unknown): Meant {
  const discriminated = isRecord(value) ? byDiscriminator(branches, value, root) : undefined;
  if (discriminated && discriminated.kind !== 'candidates') return discriminated;
  const candidates = discriminated?.branches ?? branches;
  const sameType = candidates.filter(({ errors }) => !errors.some((node) => isRootError(node, at, ['type'])));
  if (sameType.length === 0) return allTypes(candidates, at);
  const [only] = sameType;
  if (only && sameType.length === 1) return { kind: 'branch', branch: only };
  const allowed = allValues(sameType, at);
  return allowed ? { kind: 'values', allowed } : fewestErrors(sameType);
}

function byDiscriminator(
  branches: readonly Branch[],
  value: Readonly<Record<string, unknown>>,
  root: unknown,
):
  | Exclude<Meant, { kind: 'types' | 'values' | 'unclear' }>
  | { kind: 'candidates'; branches: readonly Branch[] }
  | undefined {
  const told = branches.map(({ schema }) => discriminatorsOf(schema, root));
  const keys = new Set(told.flatMap((keysOf) => [...keysOf.keys()]));
  for (const key of keys) {
    const having = branches.filter((_, index) => told[index]?.has(key));
    if (having.length < 2) continue;
    const allowed = [...new Set(told.flatMap((keysOf) => keysOf.get(key) ?? []))];
    const everyBranch = having.length === branches.length;
    if (!Object.hasOwn(value, key)) {
      if (everyBranch && branches.every(({ schema }) => requires(schema, key, root))) {
        return { kind: 'discriminator', key, allowed, missing: true };
      }
      continue;
    }
    const matching = branches.filter((_, index) => told[index]?.get(key)?.includes(value[key]));
    const [only] = matching;
    if (only && matching.length === 1) return { kind: 'branch', branch: only };
    if (only) return { kind: 'candidates', branches: matching };
    if (everyBranch) return { kind: 'discriminator', key, allowed, missing: false };
  }
  return undefined;
}

/** Properties with a fixed value or a few, which tell a branch from its neighbours. */
function discriminatorsOf(schema: unknown, root: unknown): ReadonlyMap<string, readonly unknown[]> {
  const found = new Map<string, readonly unknown[]>();
  const branch = dereference(schema, root);
  if (!isRecord(branch) || !isRecord(branch.properties)) return found;
  for (const [key, property] of Object.entries(branch.properties)) {
    const read = dereference(property, root);
    if (!isRecord(read)) continue;
    if ('const' in read) found.set(key, [read.const]);
    else if (Array.isArray(read.enum) && read.enum.length <= 20) found.set(key, read.enum);
  }
  return found;
}

function requires(schema: unknown, key: string, root: unknown): boolean {
  const branch = dereference(schema, root);
  return isRecord(branch) && Array.isArray(branch.required) && branch.required.includes(key);
}

function isRootError({ error }: ErrorNode, at: string, keywords: readonly string[]): boolean {
  return error.instancePath === at && keywords.includes(error.keyword);
}

function allTypes(branches: readonly Branch[], at: string): Meant {
  const types = branches.flatMap(({ errors }) => rootParams(errors, at, 'type').flatMap(({ type }) => type));
  return { kind: 'types', types: [...new Set(types.filter((type) => typeof type === 'string'))] };
}

/** The values that the branches allow, if each of them fails by its values alone. */
function allValues(branches: readonly Branch[], at: string): readonly unknown[] | undefined {
  const lists = branches.map(({ errors }) => [
    ...rootParams(errors, at, 'enum').flatMap(({ allowedValues }) => allowedValues),
    ...rootParams(errors, at, 'const').map(({ allowedValue }) => allowedValue),
  ]);
  return lists.every((list) => list.length > 0) ? [...new Set(lists.flat())] : undefined;
}

function rootParams(errors: readonly ErrorNode[], at: string, keyword: string): ErrorObject['params'][] {
  return errors.filter((node) => isRootError(node, at, [keyword])).map(({ error }) => error.params);
}

function fewestErrors(branches: readonly Branch[]): Meant {
  const ranked = branches
    .map((branch) => ({ branch, count: branch.errors.length }))
    .sort((left, right) => left.count - right.count);
  const [first, second] = ranked;
  if (first && (!second || first.count < second.count)) return { kind: 'branch', branch: first.branch };
  return { kind: 'unclear' };
}

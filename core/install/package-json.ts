import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { isRecord } from '../schema/pointer.ts';

const MAX_BYTES = 1024 * 1024;

/** What a stranger's package.json says of itself; every text is a claim. */
export interface PackageFacts {
  readonly name?: string;
  readonly version?: string;
  readonly author?: string;
  readonly repository?: string;
  /** By field: `dependencies`, `optionalDependencies`, `peerDependencies`. */
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optional: Readonly<Record<string, string>>;
  readonly peers: Readonly<Record<string, string>>;
  readonly peersMeta: Readonly<Record<string, unknown>>;
}

/** Reads the package.json of a directory; undefined where there is none, or none that can be read. */
export async function readPackageJson(dir: string): Promise<PackageFacts | undefined> {
  const file = path.join(dir, 'package.json');
  try {
    if ((await stat(file)).size > MAX_BYTES) return undefined;
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (!isRecord(value)) return undefined;
    return {
      ...text('name', value.name),
      ...text('version', value.version),
      ...text('author', isRecord(value.author) ? value.author.name : value.author),
      ...text('repository', isRecord(value.repository) ? value.repository.url : value.repository),
      dependencies: specsOf(value.dependencies),
      optional: specsOf(value.optionalDependencies),
      peers: specsOf(value.peerDependencies),
      peersMeta: isRecord(value.peerDependenciesMeta) ? value.peerDependenciesMeta : {},
    };
  } catch {
    return undefined;
  }
}

function text<Key extends string>(key: Key, value: unknown): { readonly [K in Key]?: string } {
  // The key is the parameter's own.
  return typeof value === 'string' && value !== '' ? ({ [key]: value } as { [K in Key]: string }) : {};
}

function specsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isRecord(value)) return {};
  const entries = Object.entries(value).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[0] !== '__proto__',
  );
  return Object.fromEntries(entries);
}

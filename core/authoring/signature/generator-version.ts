import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** Raised whenever the same code would come to another schema here. */
const READER = 1;

let known: string | undefined;

/** What a schema that was read out of code depends on besides that code. */
export function generatorVersion(): string {
  known ??= [READER, ...['ts-json-schema-generator', 'typescript'].map(versionOf)].join(' ');
  return known;
}

/** Where the generator's packages lie: the outermost `node_modules` that they are in; absolute. */
export function generatorRoot(): string {
  const entry = generatorEntry();
  const marker = `${path.sep}node_modules${path.sep}`;
  const at = entry.indexOf(marker);
  return at < 0 ? path.dirname(entry) : entry.slice(0, at + marker.length - 1);
}

function generatorEntry(): string {
  return createRequire(import.meta.url).resolve('ts-json-schema-generator');
}

function versionOf(name: string): string {
  const file = createRequire(generatorEntry()).resolve(`${name}/package.json`);
  const { version }: { version?: unknown } = JSON.parse(readFileSync(file, 'utf8'));
  return `${name}@${String(version)}`;
}

import { createRequire } from 'node:module';

/** The package's own version, found by its name: a checkout and a package have it at different depths. */
export function readVersion(): string {
  const { version } = createRequire(import.meta.url)('glovebox/package.json') as { version: string }; // npm's format
  return version;
}

import { readFile } from 'node:fs/promises';
import { type Config, type ConfigInput, configPathOf, lockPathOf, readConfig } from '../config/index.ts';
import { type LockSubject, openLock } from '../permissions/index.ts';
import type { PermissionRequest } from '../plugin/manifest.ts';
import { editConfig } from './edit-config.ts';
import { done, failed, type Outcome, reasonOf } from './outcome.ts';
import type { Transaction } from './transaction.ts';

export interface Consent {
  readonly subject: LockSubject;
  /** The plugin directory that it belongs to, absolute. */
  readonly sourceDir: string;
  /** What it is granted from now on; absent: what it was. */
  readonly grants?: PermissionRequest;
}

/**
 * Writes grants into the config and then the consent into the lock, which is what lets a version run: whatever ends
 * this halfway leaves it held. On a refusal the caller rolls the transaction back.
 */
export async function recordConsent(
  config: Config,
  consents: readonly Consent[],
  transaction: Transaction,
): Promise<Outcome<void>> {
  const file = configPathOf(config);
  try {
    // Read again: somebody may have edited it while the question stood.
    const before = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    const after = edit(before, config.baseDir, consents);
    if (after !== before) {
      const problem = await findProblem(after, config.baseDir);
      if (problem !== undefined) return failed(`the config can't be edited: ${problem}; nothing was changed`);
      await transaction.write(file, after);
    }
  } catch (error) {
    return failed(`the config can't be written (${reasonOf(error)}); nothing was changed`);
  }
  const accepted = await openLock(lockPathOf(config)).acceptAll(consents.map(({ subject }) => subject));
  return accepted.ok ? done(undefined) : failed(`${accepted.message} Nothing was changed.`);
}

function edit(text: string | undefined, baseDir: string, consents: readonly Consent[]): string {
  const bySource = Map.groupBy(consents, ({ sourceDir }) => sourceDir);
  let edited = text;
  for (const [dir, those] of bySource) {
    const grants = new Map(
      those.flatMap(({ subject, grants: given }) =>
        given === undefined ? [] : [[subject.manifest.name, given] as const],
      ),
    );
    edited = editConfig(edited, baseDir, { dir, grants });
  }
  return edited ?? '';
}

/** What stands in the file afterwards must be a config again, whatever stood there before. */
async function findProblem(text: string, baseDir: string): Promise<string | undefined> {
  // Checked by readConfig, as everything that claims to be a config.
  const read = await readConfig(JSON.parse(text.replace(/^\uFEFF/, '')) as ConfigInput, { cwd: baseDir });
  return read.ok ? undefined : read.problems[0]?.message;
}

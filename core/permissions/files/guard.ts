import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { denied, type RecordUse, type Refusal } from '../outcome.ts';
import type { Policy } from '../policy.ts';
import type { Wildcard } from '../wildcard.ts';
import { toSlashes } from './glob.ts';
import { type GuestPath, readGuestPath } from './guest-path.ts';

export type Access = 'read' | 'write';

/** Paths of the host that no policy opens, absolute; files, or directories with all that is in them. */
export interface ProtectedPaths {
  /** Neither read nor written: the config, the lock, storage, audit files. */
  readonly closed: readonly string[];
  /** Read where granted, never written: the plugins' own directories. */
  readonly readOnly: readonly string[];
}

export type ValidPath = Extract<GuestPath, { ok: true }>;

/** Decides about paths; touches no file but to find out where the base and the protected ones really are. */
export interface Guard {
  /** Reads and checks what the plugin wrote. Only then may the file system be asked about it. */
  enter(access: Access | 'either', text: string, reach?: 'exact' | 'below'): Entered;
  /** Checks where it really leads. */
  admits(access: Access | 'either', real: string): boolean;
  /** May a directory be seen because something below it may be? */
  admitsBelow(access: Access, real: string): boolean;
  /** Is all that is or could be below it admitted? */
  admitsAllBelow(access: Access, real: string): boolean;
  /** Is this file a protected one under another name (a hard link)? */
  isProtectedFile(stats: Stats): Promise<boolean>;
  refuse(access: Access, path: ValidPath, reason: string): Denied;
  /** Tells the audit of a path that was admitted, whatever came of it: that nothing is there is an answer too. */
  allow(access: Access | 'either', text: string): void;
}

export type Entered = { readonly ok: true; readonly path: ValidPath } | Denied;

export type Denied = { readonly ok: false; readonly denied: Refusal };

export const LEADS_OUT = 'it leads through a symbolic link to a place that is not granted.';

export async function createGuard(
  policy: Policy,
  baseDir: string,
  protection: ProtectedPaths,
  record: RecordUse,
): Promise<Guard> {
  const base = toSlashes(await realpath(baseDir));
  const closed = await realPaths(protection.closed);
  const readOnly = await realPaths(protection.readOnly);
  const bound = {
    read: bindRules(policy.read, base),
    write: bindRules(policy.write, base),
  };

  const every = (access: Access, test: (rule: Wildcard) => boolean) =>
    bound[access].granted.some(test) && bound[access].requested.some(test);
  const protects = (access: Access, path: string) =>
    closed.some((root) => isWithin(path, root)) ||
    (access === 'write' && readOnly.some((root) => isWithin(path, root)));
  const admits = (access: Access | 'either', path: string): boolean => {
    if (access === 'either') return admits('read', path) || admits('write', path);
    return !protects(access, path) && every(access, (rule) => rule.matches(path));
  };
  const admitsBelow = (access: Access, path: string) =>
    !protects(access, path) && every(access, (rule) => rule.canContinue(path === '/' ? '/' : `${path}/`));

  function refuse(access: Access, path: ValidPath, reason: string): Denied {
    record({ capability: access, target: path.target, allowed: false });
    const requested = bound[access].requested.some((rule) => rule.matches(path.absolute));
    return denied({ capability: access, target: path.target, reason, requested, grantable: false });
  }

  return {
    admits,
    admitsBelow,
    refuse,
    enter(access, text, reach = 'exact') {
      const path = readGuestPath(text, base);
      const shown = access === 'either' ? 'read' : access;
      const refusal = { capability: shown, requested: true, grantable: false };
      if (!path.ok) {
        record({ capability: shown, target: path.shown, allowed: false });
        return denied({ ...refusal, target: path.shown, reason: path.reason });
      }
      const { absolute, target } = path;
      const below = access === 'either' ? (['read', 'write'] as const) : [access];
      if (admits(access, absolute)) return { ok: true, path };
      if (reach === 'below' && below.some((one) => admitsBelow(one, absolute))) return { ok: true, path };
      if (protects(shown, absolute))
        return refuse(shown, path, 'it belongs to the host or to a plugin’s own code.');
      record({ capability: shown, target, allowed: false });
      const requested = bound[shown].requested.some((rule) => rule.matches(absolute));
      const reason = requested ? 'no grant covers it.' : 'the plugin did not ask for it.';
      return denied({ ...refusal, target, reason, requested, grantable: true });
    },
    admitsAllBelow(access, path) {
      const within = [...closed, ...(access === 'write' ? readOnly : [])].some((root) =>
        isWithin(root, path),
      );
      return !within && !protects(access, path) && every(access, (rule) => rule.coversAll(`${path}/`));
    },
    async isProtectedFile(stats) {
      if (stats.nlink < 2) return false;
      for (const path of closed) {
        const other = await stat(path).catch(() => undefined);
        if (other && other.dev === stats.dev && other.ino === stats.ino) return true;
      }
      return false;
    },
    allow(access, text) {
      const path = readGuestPath(text, base);
      if (!path.ok) return;
      const reads = admits('read', path.absolute) || admitsBelow('read', path.absolute);
      const capability = access === 'either' ? (reads ? 'read' : 'write') : access;
      record({ capability, target: path.target, allowed: true });
    },
  };
}

function bindRules(rules: Policy['read'], base: string) {
  return {
    requested: rules.requested.map((rule) => rule.bind(base)),
    granted: rules.granted.map((rule) => rule.bind(base)),
  };
}

/** A file that does not exist yet is protected where its directory really is. */
async function realPaths(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    paths.map(async (path) => [toSlashes(path), toSlashes(await realPlace(path))]),
  );
  return [...new Set(found.flat())];
}

async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const slash = toSlashes(path).lastIndexOf('/');
    if (slash <= 0) return path;
    return `${await realPlace(path.slice(0, slash))}/${path.slice(slash + 1)}`;
  }
}

const FOLDS_CASE = process.platform === 'darwin' || process.platform === 'win32';

function isWithin(path: string, root: string): boolean {
  const [inner, outer] = FOLDS_CASE ? [path.toLowerCase(), root.toLowerCase()] : [path, root];
  return inner === outer || inner.startsWith(outer === '/' ? '/' : `${outer}/`);
}

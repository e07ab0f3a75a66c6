import { existsSync } from 'node:fs';
import path from 'node:path';
import { type AuditEntry, readAudit, suggestGrants } from '../audit/index.ts';
import { AUDIT_FILE } from '../config/config.ts';
import { type Config, dataPathOf } from '../config/index.ts';
import { isEmptyRequest, listInstalled } from '../install/index.ts';
import { grantLine, printable } from '../permissions/index.ts';
import { namePattern } from '../permissions/name-pattern.ts';
import type { PermissionRequest } from '../plugin/manifest.ts';
import { readSchema } from '../plugin/read-schema.ts';
import { jsonWriter, tableWriter } from './audit-writer.ts';
import { ExitCode, UsageError } from './exit-code.ts';
import { grantEntry } from './grant-lines.ts';
import { interruptible } from './interruption.ts';
import { openConfig } from './open-config.ts';
import { print, say } from './output.ts';
import { shownPath } from './review.ts';
import { readMoment } from './time-option.ts';

export interface AuditOptions {
  readonly config?: string;
  readonly tool?: string;
  readonly outcome?: string;
  readonly session?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit?: number;
  readonly follow?: boolean;
  readonly json?: boolean;
  readonly suggest?: string;
}

/** `glovebox audit`: what was called, with which outcome, and what each call used and was refused. */
export async function audit(options: AuditOptions): Promise<number> {
  const config = await openConfig(options.config);
  const file = config.audit?.path ?? path.join(dataPathOf(config), AUDIT_FILE);
  if (options.suggest !== undefined) return suggest(options.suggest, file, config, options);
  const select = selectorOf(options);
  if (!isThere(file)) {
    say(whyMissing(config, file));
    if (options.follow !== true) {
      if (options.json !== true) await print('No calls are recorded.\n');
      return ExitCode.ok;
    }
  }
  return options.follow === true ? follow(file, select, options) : list(file, select, options);
}

type Select = (entry: AuditEntry) => boolean;

function selectorOf({ tool, outcome, session, since, until }: AuditOptions): Select {
  const now = new Date();
  const from = since === undefined ? undefined : readMoment('--since', since, now).getTime();
  const to = until === undefined ? undefined : readMoment('--until', until, now).getTime();
  if (from !== undefined && to !== undefined && from > to)
    throw new UsageError('--since must be before --until');
  const named = tool === undefined ? undefined : namePattern(tool);
  return (entry) => {
    if (named !== undefined && !named.matches(entry.tool)) return false;
    if (session !== undefined && entry.session !== session) return false;
    if (outcome !== undefined && !(outcome === 'failed' ? entry.outcome !== 'ok' : entry.outcome === outcome))
      return false;
    const at = Date.parse(entry.time);
    return (from === undefined || at >= from) && (to === undefined || at <= to);
  };
}

async function list(file: string, select: Select, options: AuditOptions): Promise<number> {
  const writer = options.json === true ? jsonWriter() : tableWriter({ folds: true });
  const { limit } = options;
  let last: AuditEntry[] = [];
  for await (const entry of readAudit({ path: file })) {
    if (!select(entry)) continue;
    if (limit === undefined) await writer.write(entry);
    else {
      last.push(entry);
      // Now and then, not for each: shifting a long list is slow.
      if (last.length >= limit * 2) last = last.slice(-limit);
    }
  }
  if (limit !== undefined) for (const entry of last.slice(-limit)) await writer.write(entry);
  await writer.end();
  return ExitCode.ok;
}

async function follow(file: string, select: Select, options: AuditOptions): Promise<number> {
  using interruption = interruptible();
  const writer = options.json === true ? jsonWriter() : tableWriter({ folds: false });
  let skipped = options.limit === undefined ? 0 : (await count(file, select)) - options.limit;
  for await (const entry of readAudit({ path: file, follow: true, signal: interruption.signal })) {
    if (!select(entry)) continue;
    if (skipped > 0) skipped -= 1;
    else await writer.write(entry);
  }
  await writer.end();
  return ExitCode.ok;
}

async function count(file: string, select: Select): Promise<number> {
  let found = 0;
  for await (const entry of readAudit({ path: file })) if (select(entry)) found += 1;
  return found;
}

async function suggest(
  name: string,
  file: string,
  config: Config,
  { since, json }: AuditOptions,
): Promise<number> {
  if (!isThere(file)) say(whyMissing(config, file));
  const plugin = (await listInstalled(config)).find(({ id }) => id === name);
  const request = plugin?.kind === 'tool' ? await requestOf(plugin.dir, plugin.defaultName) : undefined;
  const suggestion = await suggestGrants(name, {
    path: file,
    ...(request === undefined ? {} : { request }),
    ...(since === undefined ? {} : { since: readMoment('--since', since, new Date()) }),
  });
  const { grants, refused, calls } = suggestion;
  if (json === true) {
    await print(`${JSON.stringify({ name, ...suggestion }, null, 2)}\n`);
    return calls === 0 ? ExitCode.failed : ExitCode.ok;
  }
  if (calls === 0) {
    say(`no call of ${printable(name)} is recorded, so there is nothing to derive grants from`);
    return ExitCode.failed;
  }
  const place =
    plugin?.source.trust === 'granted'
      ? `"grants" of the entry for ${shownPath(plugin.source.dir)}`
      : '"grants"';
  const times = calls === 1 ? 'its one call' : `its ${calls} calls`;
  say(
    `What ${times} used; put it into ${place} in the config${isEmptyRequest(grants) ? ' (it used nothing)' : ''}:`,
  );
  await print(`${grantEntry(name, grants)}\n`);
  if (refused.length > 0) say('Refused, and not part of the above. To allow it too:');
  for (const { capability, target, count: times } of refused)
    say(
      `  ${printable(grantLine(name, capability, target) ?? `${capability} ${target}: no entry allows it alone`, 600)}  (asked ${times} time${times === 1 ? '' : 's'})`,
    );
  if (plugin?.source.trust === 'declared')
    say(
      'It is under trust "declared", where grants have no effect; there, this is what "permissions" in its schema.json needs.',
    );
  return ExitCode.ok;
}

async function requestOf(dir: string, defaultName: string): Promise<PermissionRequest | undefined> {
  const read = await readSchema(dir, defaultName, 'granted');
  return read.ok ? read.manifest.permissions : undefined;
}

/** Between two renames of a rotation only an older file may be there. */
function isThere(file: string): boolean {
  return existsSync(file) || existsSync(`${file}.1`);
}

function whyMissing(config: Config, file: string): string {
  if (config.audit !== undefined) return `there is no audit yet at ${shownPath(file)}`;
  return config.file === undefined
    ? `there is no config file, so no audit is written (${shownPath(file)} is not there)`
    : `the config says "audit": false, and there is none at ${shownPath(file)}`;
}

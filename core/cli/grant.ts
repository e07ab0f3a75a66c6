import type { ServerSubjects as SubjectsRead } from '../adapters/mcp/client/index.ts';
import type { Config } from '../config/index.ts';
import {
  chooseGrants,
  type Grantee,
  grantPlugin,
  isEmptyRequest,
  missingGrants,
  type Outcome,
  type Refusal,
  readGrantee,
} from '../install/index.ts';
import { describePermissions, openLock, printable } from '../permissions/index.ts';
import type { PermissionRequest } from '../plugin/manifest.ts';
import { refuse } from './add.ts';
import { askYesNo, canAsk } from './consent.ts';
import { ExitCode, UsageError } from './exit-code.ts';
import { isSameGrant, missingLines } from './grant-lines.ts';
import { interruptible } from './interruption.ts';
import { openConfig } from './open-config.ts';
import { print, say } from './output.ts';
import { formatDifference, formatReview, shownPath } from './review.ts';

export interface GrantOptions {
  readonly config?: string;
  readonly only?: readonly string[];
  readonly keep?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `glovebox grant NAME`: consents to a plugin (or an MCP server) as it is now, and grants what it asks for. */
export async function grant(name: string, options: GrantOptions): Promise<number> {
  if (options.keep === true && options.only !== undefined)
    throw new UsageError('--keep leaves the grants as they are, and --only sets them: give one of them');
  const config = await openConfig(options.config);
  const server = await readServer(config, name);
  if (server !== undefined) return grantServer(name, server, options);
  const read = await readGrantee(config, name);
  if (!read.ok) return refuse(read, options);
  const grantee = read.value;
  const { permissions } = grantee.version.manifest;
  const chosen = chooseFor(grantee, options);
  if (!chosen.ok) return refuse(chosen, options);
  const grants = chosen.value;
  await show(reviewOf(grantee), options);
  const isNew = grants !== undefined && !isSameGrant(grants, grantee.granted);
  if (isNew) await show(`It would be granted, from now on:\n${indented(describeGrant(grants))}\n`, options);
  if (grantee.admission.kind === 'admitted' && !isNew)
    return finish(grantee, grantee.granted, false, options);
  const refusal = await consent(
    `Let this version of ${printable(name, 100)} run${isNew ? ', with these grants' : ''}?`,
    options,
  );
  if (refusal !== undefined) return refuse(refusal, options);
  const granted = await grantPlugin(config, grantee, grants);
  if (!granted.ok) return refuse(granted, options);
  return finish(grantee, grants ?? grantee.granted, true, options, permissions);
}

/** Undefined: the grants stay as they are. */
function chooseFor(
  { version, granted }: Grantee,
  { only, keep }: GrantOptions,
): Outcome<PermissionRequest | undefined> {
  const { permissions } = version.manifest;
  if (keep === true) return { ok: true, value: undefined };
  if (only !== undefined) return chooseGrants(only, permissions);
  // Nothing is written for a plugin that asks for nothing; what it had once goes.
  if (isEmptyRequest(permissions) && isEmptyRequest(granted)) return { ok: true, value: undefined };
  return { ok: true, value: permissions };
}

async function consent(question: string, { yes }: GrantOptions): Promise<Refusal | undefined> {
  if (yes === true) return undefined;
  if (!canAsk()) {
    const message =
      'nothing was granted: there is no terminal to ask for your consent. Read the above and add --yes.';
    return { ok: false, kind: 'usage', message };
  }
  using interruption = interruptible();
  const terminal = { input: process.stdin, output: process.stderr };
  if (await askYesNo(question, terminal, interruption.signal)) return undefined;
  return { ok: false, kind: 'failed', message: 'nothing was granted' };
}

async function finish(
  { installed, version, admission }: Grantee,
  granted: PermissionRequest,
  changed: boolean,
  options: GrantOptions,
  request: PermissionRequest = version.manifest.permissions,
): Promise<number> {
  const { name } = version.manifest;
  const missing = missingGrants(request, granted);
  if (options.json === true) {
    const diff = admission.kind === 'held' ? admission.diff : undefined;
    const result = {
      ok: true,
      name,
      version: version.version,
      changed,
      diff,
      permissions: request,
      granted,
      missing,
    };
    await print(`${JSON.stringify(result, null, 2)}\n`);
    return ExitCode.ok;
  }
  const done = changed
    ? `${printable(name)} may run in this version`
    : `nothing to change: ${printable(name)} may run in this version`;
  if (isEmptyRequest(missing))
    await print(`${done}${isEmptyRequest(request) ? '' : '; it is granted all that it asks for'}\n`);
  else {
    const lines = missingLines(name, request, installed.source.dir, !isEmptyRequest(granted));
    await print(`${[done, ...lines].join('\n')}\n`);
  }
  return ExitCode.ok;
}

function reviewOf({ installed, ...grantee }: Grantee): string {
  return formatReview({ ...grantee, origin: [['lies in', shownPath(installed.dir)]] }, process.stdout);
}

function describeGrant(grants: PermissionRequest): string {
  return isEmptyRequest(grants) ? 'nothing' : describePermissions(grants).join('\n');
}

type ServerSubjects = Exclude<SubjectsRead, { kind: 'no_server' }>;

async function readServer(config: Config, name: string): Promise<ServerSubjects | undefined> {
  if (config.mcpServers.length === 0) return undefined;
  // What speaks their protocol is only loaded where there is one.
  const { readServerSubjects } = await import('../adapters/mcp/client/index.ts');
  const read = await readServerSubjects(config, name);
  return read.kind === 'no_server' ? undefined : read;
}

/** A server's tools run in its own process: there is nothing to grant, only what it says of them to consent to. */
async function grantServer(name: string, read: ServerSubjects, options: GrantOptions): Promise<number> {
  if (options.only !== undefined || options.keep === true)
    throw new UsageError(`${name} is of an MCP server, which has no grants: leave --only and --keep out`);
  if (read.kind === 'failed') return refuse({ ok: false, kind: 'failed', message: read.message }, options);
  const lock = openLock(read.lockPath);
  const held: string[] = [];
  for (const subject of read.subjects) {
    const admission = await lock.admit(subject);
    if (admission.kind === 'admitted') continue;
    const { name: id, description } = subject.manifest;
    held.push(
      [
        `${printable(id)}  ${printable(description.split('\n')[0] ?? '', 200)}`,
        ...formatDifference(admission),
      ].join('\n'),
    );
  }
  if (held.length > 0) {
    await show(held.join('\n\n'), options);
    const refusal = await consent(
      `Let ${held.length === 1 ? 'it' : `these ${held.length}`} be used as listed?`,
      options,
    );
    if (refusal !== undefined) return refuse(refusal, options);
    const accepted = await lock.acceptAll(read.subjects);
    if (!accepted.ok) return refuse({ ok: false, kind: 'failed', message: accepted.message }, options);
  }
  const names = read.subjects.map(({ manifest }) => manifest.name);
  if (options.json === true)
    await print(
      `${JSON.stringify({ ok: true, name, changed: held.length > 0, accepted: names }, null, 2)}\n`,
    );
  else
    await print(
      held.length > 0
        ? `${printable(name)}: consented to ${names.length} as listed now\n`
        : `nothing to change: all that ${printable(name)} lists was consented to\n`,
    );
  return ExitCode.ok;
}

async function show(text: string, { json }: GrantOptions): Promise<void> {
  if (json === true) say(text);
  else await print(`${text}\n`);
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}

import type { Config } from '../config/index.ts';
import {
  type Addition,
  isEmptyRequest,
  missingGrants,
  type Newcomer,
  prepareAddition,
  type Refusal,
} from '../install/index.ts';
import { describePermissions, printable } from '../permissions/index.ts';
import type { PermissionRequest } from '../plugin/manifest.ts';
import { askYesNo, canAsk } from './consent.ts';
import { ExitCode } from './exit-code.ts';
import { missingLines } from './grant-lines.ts';
import { interruptible } from './interruption.ts';
import { openConfig } from './open-config.ts';
import { oneLine, print, say } from './output.ts';
import { formatReview, shownPath } from './review.ts';

export interface AddOptions {
  readonly config?: string;
  readonly dir?: string;
  readonly yes?: boolean;
  readonly grant?: boolean;
  readonly json?: boolean;
}

const TERMINAL = { input: process.stdin, output: process.stderr };

/** `glovebox add SOURCE`: shows what a stranger's plugin asks for and, with consent, installs it under trust "granted". */
export async function add(source: string, options: AddOptions): Promise<number> {
  const config = await openConfig(options.config);
  using interruption = interruptible();
  const prepared = await prepareAddition({
    ...{ source, config, cwd: process.cwd(), signal: interruption.signal },
    ...(options.dir === undefined ? {} : { dir: options.dir }),
    say: (text) => say(oneLine(text)),
  });
  if (!prepared.ok) return refuse(prepared, options);
  const addition = prepared.value;
  const show =
    options.json === true ? async (text: string) => say(text) : (text: string) => print(`${text}\n`);
  await show(`${addition.newcomers.map((each) => reviewOf(each)).join('\n\n')}\n`);
  const consent = await decide(addition, options, interruption.signal);
  if (consent.kind !== 'given') {
    await addition.discard();
    return refuse({ ok: false, ...consent.refusal }, options);
  }
  const grants = consent.granting ? requestsOf(addition) : new Map<string, PermissionRequest>();
  const added = await addition.commit(grants);
  if (!added.ok) return refuse(added, options);
  const results = addition.newcomers.map((newcomer) => resultOf(newcomer, grants));
  if (options.json === true) await print(`${JSON.stringify({ ok: true, added: results }, null, 2)}\n`);
  else
    await print(
      `${results.flatMap((result, index) => summaryOf(result, addition.newcomers[index], config)).join('\n')}\n`,
    );
  return ExitCode.ok;
}

type Decision =
  | { readonly kind: 'given'; readonly granting: boolean }
  | { readonly kind: 'withheld'; readonly refusal: Omit<Refusal, 'ok'> };

async function decide(
  { newcomers }: Addition,
  { yes = false, grant = false }: AddOptions,
  signal: AbortSignal,
): Promise<Decision> {
  if (yes) return { kind: 'given', granting: grant };
  const withheld = (kind: Refusal['kind'], message: string): Decision => ({
    kind: 'withheld',
    refusal: { kind, message },
  });
  if (!canAsk()) {
    return withheld(
      'usage',
      'nothing was added: there is no terminal to ask for your consent. Read the above and add --yes (and --grant, to grant what is asked for).',
    );
  }
  const names = newcomers.map(({ version }) => printable(version.manifest.name, 60)).join(', ');
  const asksAny = newcomers.some(({ version }) => !isEmptyRequest(version.manifest.permissions));
  const question = `Add ${names}${grant && asksAny ? ', and grant all that is asked for' : ''}?`;
  if (!(await askYesNo(question, TERMINAL, signal))) return withheld('failed', 'nothing was added');
  const lacksAny = newcomers.some(
    ({ version, granted }) => !isEmptyRequest(missingGrants(version.manifest.permissions, granted)),
  );
  if (grant || !lacksAny) return { kind: 'given', granting: grant };
  const granting = await askYesNo('Grant all that is asked for above?', TERMINAL, signal);
  return signal.aborted ? withheld('failed', 'interrupted; nothing was added') : { kind: 'given', granting };
}

function requestsOf({ newcomers }: Addition): ReadonlyMap<string, PermissionRequest> {
  return new Map(
    newcomers
      .map(({ version }) => version.manifest)
      .filter(({ permissions }) => !isEmptyRequest(permissions))
      .map(({ name, permissions }) => [name, permissions]),
  );
}

function reviewOf(newcomer: Newcomer): string {
  const { fetched, replaces, dir } = newcomer;
  const { author, repository } = fetched.facts ?? {};
  const claims = [
    ...(author === undefined ? [] : [['author', `${printable(author, 100)} (by its own word)`] as const]),
    ...(repository === undefined
      ? []
      : [['code at', `${printable(repository, 200)} (by its own word)`] as const]),
  ];
  const version = fetched.facts?.version;
  const into = `${shownPath(dir)}${replaces === undefined ? '' : ', in the place of what is there'}`;
  return formatReview(
    {
      ...newcomer,
      origin: [
        ['from', printable(fetched.from)],
        ...claims,
        ...(version === undefined ? [] : [['version', printable(version, 60)] as const]),
        [replaces === undefined ? 'goes to' : 'updates', into],
      ],
    },
    process.stdout,
  );
}

type Result = ReturnType<typeof resultOf>;

function resultOf(newcomer: Newcomer, grants: ReadonlyMap<string, PermissionRequest>) {
  const { version, fetched, dir, replaces, packages, sourceDir } = newcomer;
  const { name, title, description, annotations, permissions } = version.manifest;
  const granted = grants.get(name) ?? newcomer.granted;
  return {
    name,
    title,
    description,
    annotations,
    version: version.version,
    packageVersion: fetched.facts?.version,
    from: fetched.from,
    dir,
    source: sourceDir,
    updated: replaces !== undefined,
    packages,
    permissions,
    asks: describePermissions(permissions),
    granted,
    missing: missingGrants(permissions, granted),
  };
}

function summaryOf(result: Result, newcomer: Newcomer | undefined, config: Config): string[] {
  const { name, dir, updated, granted, missing, permissions } = result;
  const verb = updated ? 'updated' : 'added';
  const done = `${verb} ${printable(name)} in ${shownPath(dir)}`;
  if (isEmptyRequest(permissions)) return [done];
  if (isEmptyRequest(missing)) return [`${done}; it is granted all that it asks for`];
  const source = newcomer?.sourceDir ?? config.baseDir;
  return [done, ...missingLines(name, permissions, source, !isEmptyRequest(granted))];
}

/** Tells why nothing was done, in the form that was asked for. */
export async function refuse(
  { kind, message }: Refusal,
  { json }: { readonly json?: boolean },
): Promise<number> {
  say(
    message
      .split('\n')
      .map((line) => printable(line, 1_000))
      .join('\n'),
  );
  if (json === true) await print(`${JSON.stringify({ ok: false, kind, message }, null, 2)}\n`);
  return kind === 'usage' ? ExitCode.usage : ExitCode.failed;
}

import type { Config } from '../config/index.ts';
import { leastGrant, resolvePolicy } from '../permissions/index.ts';
import { parseNetRule } from '../permissions/net/pattern.ts';
import { parseSize } from '../permissions/size.ts';
import type { PermissionRequest } from '../plugin/manifest.ts';
import { pointerTo } from '../schema/pointer.ts';
import type { Finding } from './finding.ts';
import type { JsonSource } from './json-source.ts';
import { findingAt, type Subject } from './subject.ts';

interface Remark {
  /** Below `permissions`. */
  readonly pointer: string;
  readonly message: string;
  readonly fix: string;
}

/** Permissions that reach further than the code needs, as far as that can be seen without running it. */
export function checkPermissions(subject: Subject, known: ReadonlySet<string>): Finding[] {
  const { manifest, plugin } = subject;
  if (manifest === undefined) return [];
  const { permissions } = manifest;
  const tell = (rule: string) => (remark: Remark) =>
    findingAt(subject, `/permissions${remark.pointer}`, {
      ...{ rule, level: 'warning', message: remark.message, fix: remark.fix },
    });
  return [
    ...tooWide(permissions).map(tell('permissions/too-wide')),
    ...(plugin === undefined ? [] : unused(permissions, plugin.program.code)).map(tell('permissions/unused')),
    ...unknownTools(permissions, known).map(tell('permissions/unknown')),
  ];
}

const MUCH_STORAGE = 100 * 1024 * 1024;
const SECRET_NAME = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)S?(?:_|$)/i;

function tooWide({
  net = [],
  read = [],
  write = [],
  env = [],
  tools = [],
  storage,
}: PermissionRequest): Remark[] {
  const remarks: Remark[] = [];
  const add = (pointer: string, message: string, fix: string) => remarks.push({ pointer, message, fix });
  for (const [index, text] of net.entries()) {
    const pointer = `/net/${index}`;
    const parsed = parseNetRule(text);
    if (!parsed.ok) continue;
    const { rule } = parsed;
    if (rule.matches('GET', ANY_HOST) || rule.matches('POST', ANY_HOST))
      add(pointer, `"${text}" reaches every host`, 'name the hosts that it needs');
    else if (rule.literalHost === undefined && /^\*\.[^.]+$/.test(hostIn(text)))
      add(pointer, `"${text}" reaches every host of a top-level domain`, 'name the hosts that it needs');
    if (rule.methods === undefined)
      add(
        pointer,
        `"${text}" allows every method, DELETE too`,
        `name the method: "GET ${text.replace(/^\*\s+/, '')}"`,
      );
    if (rule.literalHost !== undefined && !isLocal(rule.literalHost) && /^(?:\S+\s+)?http:/i.test(text))
      add(
        pointer,
        `"${text}" is without encryption: anybody on the way reads and changes it`,
        'write https:',
      );
  }
  for (const [kind, patterns] of [
    ['read', read],
    ['write', write],
  ] as const)
    for (const [index, text] of patterns.entries())
      if (/^(?:\.\/|\/|~\/?|\.)?\*{0,2}\/?\*?$/.test(text))
        add(
          `/${kind}/${index}`,
          `"${text}" is everything there is to ${kind}`,
          'name the folder that it needs, such as "./data/**"',
        );
  for (const [index, name] of env.entries())
    if (SECRET_NAME.test(name))
      add(
        `/env/${index}`,
        `${name} looks like a secret, and "env" shows its value to the plugin`,
        'ask for it under "secrets": then the host puts it into the request, and the plugin never sees it',
      );
  for (const [index, text] of tools.entries())
    if (text === '*') add(`/tools/${index}`, '"*" lets it call every tool', 'name the tools that it calls');
  if ((parseSize(storage) ?? 0) > MUCH_STORAGE)
    add('/storage', `${storage} is much for one plugin`, 'ask for what it needs');
  return remarks;
}

const ANY_HOST = new URL('https://some-host.invalid/');

function hostIn(rule: string): string {
  return /:\/\/([^/]*)/.exec(rule)?.[1] ?? '';
}

function isLocal(host: string): boolean {
  return /^(?:localhost|127\.|\[::1\]|10\.|192\.168\.|.*\.localhost$|.*\.internal$)/.test(host);
}

/** The bundle names what it uses; what occurs nowhere in it is not used, whatever the code does. */
const TRACES = {
  net: /\bfetch\b|XMLHttpRequest|WebSocket/,
  read: /glovebox\.fs/,
  write: /glovebox\.fs/,
  env: /__process|glovebox\.process/,
  tools: /\btools\b/,
  storage: /\bstorage\b/,
} as const;

function unused(permissions: PermissionRequest, bundle: string): Remark[] {
  // The first line is ours, and the same in every bundle.
  const code = bundle.slice(bundle.indexOf('\n'));
  const remarks: Remark[] = [];
  for (const [name, trace] of Object.entries(TRACES)) {
    // Object.entries forgets that the keys are these names.
    const asked = permissions[name as keyof typeof TRACES];
    const isAsked = typeof asked === 'string' || (asked !== undefined && asked.length > 0);
    if (isAsked && !trace.test(code))
      remarks.push({
        pointer: `/${name}`,
        message: `it asks for "${name}", and its code uses nothing of the kind`,
        fix: `leave "${name}" out`,
      });
  }
  if (TRACES.env.test(code))
    // `process.env[name]` reads names that stand nowhere.
    for (const [index, name] of (permissions.env ?? []).entries())
      if (!code.includes(name) && !/\.env(?:\)|\[|;|,|\})/.test(code))
        remarks.push({
          pointer: `/env/${index}`,
          message: `${name} occurs nowhere in its code`,
          fix: 'leave it out',
        });
  return [...remarks, ...unusedSecrets(permissions)];
}

/** A secret goes along with requests to one origin; where `net` allows none there, it goes nowhere. */
function unusedSecrets({ secrets = {}, net = [] }: PermissionRequest): Remark[] {
  const hosts = net.flatMap((text) => {
    const parsed = parseNetRule(text);
    return parsed.ok ? [parsed.rule.literalHost] : [];
  });
  return Object.entries(secrets).flatMap(([name, { for: origin }]) => {
    const host = URL.parse(origin)?.hostname;
    // A rule with a wildcard host may reach it.
    if (host === undefined || hosts.some((each) => each === undefined || each === host)) return [];
    return [
      {
        pointer: pointerTo('/secrets', name),
        message: `${name} is for ${origin}, where "net" allows no request`,
        fix: `add ${JSON.stringify(leastGrant('net', `GET ${origin}/`)).replace('/"]', '/*"]')} to "net", or leave the secret out`,
      },
    ];
  });
}

function unknownTools({ tools = [] }: PermissionRequest, known: ReadonlySet<string>): Remark[] {
  if (known.size === 0) return [];
  return tools.flatMap((name, index) =>
    name.includes('*') || known.has(name)
      ? []
      : [
          {
            pointer: `/tools/${index}`,
            message: `there is no tool "${name}"`,
            fix: 'correct the name, or leave it out',
          },
        ],
  );
}

/** Grants of the config that are wrong, or that nobody asked for. */
export function checkGrants(
  { plugins }: Config,
  source: JsonSource | undefined,
  subjects: readonly Subject[],
): Finding[] {
  if (source === undefined) return [];
  const findings: Finding[] = [];
  for (const [index, { dir, grants }] of plugins.entries()) {
    for (const [name, grant] of Object.entries(grants)) {
      const path = ['plugins', index, 'grants', name];
      const tell = (
        where: readonly (string | number)[],
        level: 'error' | 'warning',
        message: string,
        fix: string,
      ) =>
        findings.push({
          ...{ rule: 'permissions/grant', level, message, fix },
          ...{ file: source.file, ...source.positionOf([...path, ...where]) },
        });
      const own = subjects.filter((subject) => subject.source.dir === dir);
      const subject = own.find((each) => each.name === name);
      const resolved = resolvePolicy(subject?.manifest?.permissions, grant);
      if (!resolved.ok)
        for (const problem of resolved.problems)
          if (problem.in === 'grant')
            tell(
              steps(problem.path),
              'error',
              `the grant of ${name} ${problem.path} ${problem.message}`,
              'write the grant in the form that it names',
            );
      if (subject === undefined && own.length > 0)
        tell(
          [],
          'warning',
          `there is no plugin "${name}" in ${dir}`,
          'correct the name, or take the grant out',
        );
      const asked = subject?.manifest?.permissions ?? {};
      for (const key of Object.keys(grant))
        if (subject?.manifest !== undefined && !Object.hasOwn(asked, key))
          tell(
            [key],
            'warning',
            `${name} is granted "${key}", which it does not ask for`,
            'take it out of the grant',
          );
    }
  }
  return findings;
}

function steps(pointer: string): (string | number)[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => (/^\d+$/.test(key) ? Number(key) : key));
}

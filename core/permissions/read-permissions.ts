import type { SecretUse } from '../plugin/manifest.ts';
import { isRecord } from '../schema/pointer.ts';
import { type FileRule, parseFileRule } from './files/glob.ts';
import { type NetRule, parseNetRule } from './net/pattern.ts';
import { CAPABILITIES, type NameRule, type PolicyProblem } from './policy.ts';
import { parseSize } from './size.ts';
import { compileWildcard } from './wildcard.ts';

const MOST_RULES = 200;
/**
 * Wildcard states of all rules of a list together. Every path or URL that a plugin names is held against them, on the
 * host's own thread: 200 rules full of wildcards would hold it for seconds.
 */
const MOST_COST = 500;

/** A permissions object whose every entry was understood. */
export interface Permissions {
  readonly net: readonly NetRule[];
  readonly read: readonly FileRule[];
  readonly write: readonly FileRule[];
  readonly env: readonly string[];
  readonly secrets: Readonly<Record<string, SecretUse>>;
  readonly tools: readonly NameRule[];
  readonly storageBytes: number;
}

type Report = (path: string, message: string) => void;

/** Reads a request or a grant; what is wrong with it goes to `problems`. */
export function readPermissions(
  value: unknown,
  side: PolicyProblem['in'],
  problems: PolicyProblem[],
): Permissions {
  const report: Report = (path, message) => problems.push({ path, in: side, message });
  const source = isRecord(value) ? value : {};
  if (!isRecord(value)) report('', 'must be an object');
  for (const key of Object.keys(source)) {
    if (!CAPABILITIES.some((name) => name === key)) {
      report(`/${pointer(key)}`, `is no capability; there are ${CAPABILITIES.join(', ')}`);
    }
  }
  return {
    net: readRules(source.net, '/net', report, parseNetRule),
    read: readRules(source.read, '/read', report, parseFileRule),
    write: readRules(source.write, '/write', report, parseFileRule),
    env: readRules(source.env, '/env', report, parseVariable),
    secrets: readSecrets(source.secrets, report),
    tools: readRules(source.tools, '/tools', report, parseNameRule),
    storageBytes: readStorage(source.storage, report),
  };
}

type Parsed<Rule> =
  | { readonly ok: true; readonly rule: Rule }
  | { readonly ok: false; readonly message: string };

function readRules<Rule extends string | { readonly cost: number }>(
  value: unknown,
  path: string,
  report: Report,
  parse: (text: string) => Parsed<Rule>,
): readonly Rule[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    report(path, 'must be a list of texts');
    return [];
  }
  if (value.length > MOST_RULES) {
    report(path, `has more than ${MOST_RULES} entries`);
    return [];
  }
  const rules: Rule[] = [];
  for (const [index, entry] of value.entries()) {
    const parsed: Parsed<Rule> =
      typeof entry === 'string' ? parse(entry) : { ok: false, message: 'must be a text' };
    if (parsed.ok) rules.push(parsed.rule);
    else report(`${path}/${index}`, parsed.message);
  }
  const cost = rules.reduce((sum, rule) => sum + (typeof rule === 'string' ? 0 : rule.cost), 0);
  if (cost <= MOST_COST) return rules;
  report(path, 'has too many wildcards with text behind them; use fewer, or end the patterns with them');
  return [];
}

function parseVariable(text: string): Parsed<string> {
  return /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(text)
    ? { ok: true, rule: text }
    : { ok: false, message: 'must be the name of one environment variable' };
}

function parseNameRule(text: string): Parsed<NameRule> {
  if (!/^[A-Za-z0-9_.*:/-]{1,200}$/.test(text) || text.split('*').length > 5) {
    return { ok: false, message: 'must be a tool name or a pattern like "math.*"' };
  }
  const wildcard = compileWildcard(
    [...text].map((character) =>
      character === '*' ? { kind: 'gap', least: 0, except: '' } : { kind: 'text', text: character },
    ),
  );
  return { ok: true, rule: { text, cost: wildcard.cost, matches: (name) => wildcard.matches(name) } };
}

function readSecrets(value: unknown, report: Report): Readonly<Record<string, SecretUse>> {
  const secrets: Record<string, SecretUse> = Object.create(null);
  if (value === undefined) return secrets;
  if (!isRecord(value)) {
    report('/secrets', 'must be an object of name to {header, value, for}');
    return secrets;
  }
  for (const [name, use] of Object.entries(value).slice(0, MOST_RULES)) {
    const path = `/secrets/${pointer(name)}`;
    const named = parseVariable(name);
    if (!named.ok) report(path, named.message);
    else {
      const read = readSecret(name, use, path, report);
      if (read) secrets[name] = read;
    }
  }
  return secrets;
}

function readSecret(name: string, use: unknown, path: string, report: Report): SecretUse | undefined {
  if (!isRecord(use)) {
    report(path, 'must be {header, value, for}');
    return undefined;
  }
  const { header, value, for: origin } = use;
  if (typeof header !== 'string' || !/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(header)) {
    report(`${path}/header`, 'must be the name of a header');
    return undefined;
  }
  const template = value === undefined ? `\${${name}}` : value;
  if (typeof template !== 'string' || template.length > 500 || !template.includes(`\${${name}}`)) {
    report(`${path}/value`, `must be a text with \${${name}} in it`);
    return undefined;
  }
  const parsed = typeof origin === 'string' ? readOrigin(origin) : undefined;
  if (parsed === undefined) {
    report(`${path}/for`, 'must be an origin without a path, like "https://api.example.com"');
    return undefined;
  }
  return { header: header.toLowerCase(), value: template, for: parsed };
}

function readOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined;
  return url.pathname === '/' && !url.search && !url.hash && !/[*{}]/.test(url.hostname)
    ? url.origin
    : undefined;
}

function readStorage(value: unknown, report: Report): number {
  if (value === undefined) return 0;
  const bytes = parseSize(value);
  if (bytes === undefined)
    report('/storage', 'must be a size above 0, such as "1 MB", "64 KB" or "512" (bytes)');
  return bytes ?? 0;
}

function pointer(key: string): string {
  return key.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1');
}

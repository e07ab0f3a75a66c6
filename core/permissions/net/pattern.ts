import { compileWildcard, type Wildcard, type WildcardPart } from '../wildcard.ts';

/** `GET https://api.example.com/v1/*`, ready to match. */
export interface NetRule {
  readonly text: string;
  /** Undefined: any method. */
  readonly methods: ReadonlySet<string> | undefined;
  /** The host where the rule names exactly one, as a URL writes it (`[::1]` with brackets). */
  readonly literalHost: string | undefined;
  /** What one character of a URL can cost, as {@link Wildcard.cost}; host names are short. */
  readonly cost: number;
  matches(method: string, url: URL): boolean;
}

export type NetRuleResult =
  | { readonly ok: true; readonly rule: NetRule }
  | { readonly ok: false; readonly message: string };

const LONGEST_RULE = 1_000;
const MOST_GAPS = 16;
/** Longer URLs match nothing. */
export const LONGEST_URL = 8_192;

/** Methods that no plugin may use: they speak to proxies or reflect credentials. */
const REFUSED_METHODS = new Set(['CONNECT', 'TRACE', 'TRACK']);
const COMPONENTS = ['protocol', 'hostname', 'port', 'pathname', 'search'] as const;

/**
 * Reads `METHODS PATTERN`, where METHODS (optional) is e.g. `GET` or `GET,POST` and PATTERN is a URLPattern without
 * regular expressions and repetition. Without a method every method is meant.
 */
export function parseNetRule(text: string): NetRuleResult {
  if (text.length > LONGEST_RULE) return refuse(`is longer than ${LONGEST_RULE} characters`);
  const match = /^(?:([A-Za-z*]+(?:[,|][A-Za-z]+)*)\s+)?(\S+)$/.exec(text.trim());
  if (!match) return refuse('must be a method and a URL pattern, like "GET https://api.example.com/*"');
  const methods = parseMethods(match[1]);
  if (methods !== undefined && !methods.ok) return methods;
  const pattern = parsePattern(match[2] ?? '');
  if (!pattern.ok) return pattern;
  return { ok: true, rule: createRule(text, methods?.methods, pattern) };
}

function createRule(text: string, methods: ReadonlySet<string> | undefined, pattern: ParsedPattern): NetRule {
  return {
    text,
    methods,
    literalHost: pattern.literalHost,
    cost: pattern.components.pathname.cost + pattern.components.search.cost,
    matches(method, url) {
      if (methods && !methods.has(method)) return false;
      if (url.href.length > LONGEST_URL) return false;
      return COMPONENTS.every((name) => pattern.components[name].matches(componentOf(url, name)));
    },
  };
}

function componentOf(url: URL, name: (typeof COMPONENTS)[number]): string {
  if (name === 'protocol') return url.protocol.slice(0, -1);
  if (name === 'search') return url.search.slice(1);
  return url[name];
}

type Methods = { readonly ok: true; readonly methods: ReadonlySet<string> } | Refusal;
type Refusal = { readonly ok: false; readonly message: string };

function parseMethods(text: string | undefined): Methods | undefined {
  if (text === undefined || text === '*') return undefined;
  const methods = new Set(text.toUpperCase().split(/[,|]/));
  for (const method of methods) {
    if (REFUSED_METHODS.has(method) || method.includes('*')) {
      return { ok: false, message: `names the method ${method}, which no plugin may use` };
    }
  }
  return { ok: true, methods };
}

export function isRefusedMethod(method: string): boolean {
  return REFUSED_METHODS.has(method);
}

interface ParsedPattern {
  readonly ok: true;
  readonly literalHost: string | undefined;
  readonly components: Readonly<Record<(typeof COMPONENTS)[number], Wildcard>>;
}

function parsePattern(source: string): ParsedPattern | Refusal {
  const pattern = readPattern(source);
  if (!pattern) return refuse('is not a URL pattern, like "https://api.example.com/*"');
  if (pattern.hasRegExpGroups) return refuse('uses a regular expression; use * or :name');
  if (pattern.username !== '*' || pattern.password !== '*') return refuse('holds a user name or a password');
  const hostProblem = hostShape(pattern.hostname);
  if (hostProblem) return refuse(hostProblem);
  const parsed = COMPONENTS.map((name) => parseComponent(pattern[name], name));
  const wildcards: Wildcard[] = [];
  let gaps = 0;
  for (const component of parsed) {
    if (!component.ok) return component;
    gaps += component.gaps;
    wildcards.push(compileWildcard(component.parts));
  }
  if (gaps > MOST_GAPS) return refuse(`has more than ${MOST_GAPS} wildcards`);
  const [protocol, hostname, port, pathname, search] = wildcards;
  if (!protocol || !hostname || !port || !pathname || !search) return refuse('is not a URL pattern');
  if (!protocol.matches('http') && !protocol.matches('https')) return refuse('is neither http nor https');
  return {
    ok: true,
    literalHost: literalText(parsed[1]),
    components: { protocol, hostname, port, pathname, search },
  };
}

function readPattern(source: string): URLPattern | undefined {
  // A colon within brackets is an address, not the start of a name; `**` reads as `*` to everybody but URLPattern.
  const prepared = source
    .replace(/\[[^\]/]*\]/g, (address) => address.replace(/(?<!\\):/g, '\\:'))
    .replace(/\*{2,}/g, '*');
  try {
    return new URLPattern(prepared);
  } catch {
    return undefined;
  }
}

/** `https://a.com*` would match a.com.evil.org: a wildcard must be a whole leading label. */
function hostShape(hostname: string): string | undefined {
  if (hostname === '') return 'names no host';
  const rest = hostname.replace(/^(?:\*(?=$|\.)|\{\*\.\}\?)/, '');
  return rest.includes('*') || /[{}?+]/.test(rest)
    ? 'may hold a wildcard only as the first label of the host, like https://*.example.com/*'
    : undefined;
}

type Component =
  | { readonly ok: true; readonly parts: readonly WildcardPart[]; readonly gaps: number }
  | Refusal;

/** Reads one component as URLPattern normalised it. */
function parseComponent(source: string, name: (typeof COMPONENTS)[number]): Component {
  const delimiter = name === 'pathname' ? '/' : name === 'hostname' ? '.' : '';
  const parts: WildcardPart[] = [];
  let gaps = 0;
  for (let index = 0; index < source.length; ) {
    const rest = source.slice(index);
    const group = /^\{((?:\\.|[^\\{}])*)\}(.?)/su.exec(rest);
    const named = /^:[\p{ID_Start}_$][\p{ID_Continue}$]*/u.exec(rest);
    if (group) {
      if (group[2] === '*' || group[2] === '+') return refuse('repeats a group; use * alone');
      const inner = parseComponent(group[1] ?? '', name);
      if (!inner.ok) return inner;
      gaps += inner.gaps;
      if (group[2] === '?') parts.push({ kind: 'optional', parts: inner.parts });
      else parts.push(...inner.parts);
      index += (group[1] ?? '').length + (group[2] === '?' ? 3 : 2);
    } else if (named || rest.startsWith('*')) {
      const length = named ? named[0].length : 1;
      if (/^[?+*]/.test(rest.slice(length))) return refuse('puts ? or + behind a wildcard; use * alone');
      parts.push({ kind: 'gap', least: named ? 1 : 0, except: named ? delimiter : '' });
      gaps += 1;
      index += length;
    } else if (/^[({})]/.test(rest)) {
      return refuse('holds a group that is not understood here');
    } else {
      const escaped = rest.startsWith('\\');
      const character = String.fromCodePoint(source.codePointAt(index + (escaped ? 1 : 0)) ?? 0);
      parts.push({ kind: 'text', text: character });
      index += character.length + (escaped ? 1 : 0);
    }
  }
  return { ok: true, parts, gaps };
}

function literalText(component: Component | undefined): string | undefined {
  if (!component?.ok) return undefined;
  let text = '';
  for (const part of component.parts) {
    if (part.kind !== 'text') return undefined;
    text += part.text;
  }
  return text;
}

function refuse(message: string): Refusal {
  return { ok: false, message };
}

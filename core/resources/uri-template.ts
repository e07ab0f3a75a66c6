import { RE2JS } from 're2js';

/** Values of a template's variables: a list where the variable explodes (`{/path*}`). */
export type UriVariables = Readonly<Record<string, string | readonly string[]>>;

/** An RFC 6570 template, read backwards: from a URI to the values. */
export interface UriTemplate {
  readonly text: string;
  readonly variables: readonly TemplateVariable[];
  /** Characters that are fixed: of two templates that fit, the one with more of them is meant. */
  readonly literalChars: number;
  /** The variables of a URI, or undefined if it is none of the template's. Linear in its length. */
  match(uri: string): UriVariables | undefined;
}

export interface TemplateVariable {
  readonly name: string;
  readonly isList: boolean;
  readonly isRequired: boolean;
}

export type TemplateReading =
  | { readonly ok: true; readonly template: UriTemplate }
  | { readonly ok: false; readonly message: string };

export const MAX_URI_CHARS = 8_192;
const MAX_TEMPLATE_CHARS = 2_048;
const MAX_VARIABLES = 32;
const MAX_LIST = 256;
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** One `{...}`: what it captures is taken apart by `read`. */
interface Expression {
  readonly pattern: string;
  readonly variables: readonly TemplateVariable[];
  /** `undefined`: the captured text does not fit after all. */
  read(captured: readonly (string | undefined)[]): [string, string | readonly string[]][] | undefined;
  readonly captures: number;
}

interface Variable {
  readonly name: string;
  readonly explodes: boolean;
  readonly maxChars: number | undefined;
}

/**
 * Templates are strangers' text, and so is every URI: matching goes through RE2, which does not backtrack.
 * All operators of RFC 6570 are known; `{;list*}` alone is refused.
 */
export function readUriTemplate(text: string): TemplateReading {
  const wrong = (message: string): TemplateReading => ({ ok: false, message });
  if (text.length > MAX_TEMPLATE_CHARS) return wrong(`is longer than ${MAX_TEMPLATE_CHARS} characters`);
  if (!/^[a-z][a-z0-9+.-]*:/i.test(text)) return wrong('must begin with a scheme, like "notes://"');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\s\u0000-\u001f\u007f"<>\\^`|]/u.test(text)) return wrong('holds a character that no URI may have');
  const expressions: Expression[] = [];
  let pattern = '';
  let literalChars = 0;
  for (const piece of text.split(/(\{[^{}]*\})/)) {
    if (!piece.startsWith('{') || !piece.endsWith('}')) {
      if (/[{}]/.test(piece)) return wrong('has a brace without its other half');
      pattern += RE2JS.quote(piece);
      literalChars += piece.length;
      continue;
    }
    const expression = readExpression(piece);
    if (typeof expression === 'string') return wrong(expression);
    expressions.push(expression);
    pattern += expression.pattern;
  }
  const variables = expressions.flatMap((expression) => expression.variables);
  if (variables.length === 0) return wrong('has no {variable}: use "uri" for a single resource');
  if (variables.length > MAX_VARIABLES) return wrong(`has more than ${MAX_VARIABLES} variables`);
  const names = variables.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return wrong(`has the variable "${twice}" twice`);
  if (names.includes('uri')) return wrong('has a variable "uri", which is the name of the whole: rename it');
  const program = RE2JS.compile(pattern, RE2JS.DOTALL);
  const match = (uri: string): UriVariables | undefined => matchUri(program, expressions, uri);
  return { ok: true, template: { text, variables, literalChars, match } };
}

function matchUri(program: RE2JS, expressions: readonly Expression[], uri: string): UriVariables | undefined {
  if (uri.length > MAX_URI_CHARS) return undefined;
  const matcher = program.matcher(uri);
  if (!matcher.matches()) return undefined;
  const found: [string, string | readonly string[]][] = [];
  let group = 1;
  for (const expression of expressions) {
    const captured = Array.from({ length: expression.captures }, () => matcher.group(group++) ?? undefined);
    const values = expression.read(captured);
    if (values === undefined) return undefined;
    found.push(...values);
  }
  // fromEntries defines its keys, so a variable `__proto__` would be no more than that.
  return Object.fromEntries(found);
}

function readExpression(text: string): Expression | string {
  const [, operator = '', list = ''] = /^\{([+#./;?&]?)(.*)\}$/s.exec(text) ?? [];
  const variables: Variable[] = [];
  for (const part of list.split(',')) {
    const [, name = '', explode = '', length] = /^([^*:]*)(\*?)(?::([0-9]{1,4}))?$/.exec(part) ?? [];
    if (!NAME.test(name)) return `has no variable name in ${text}: letters, digits and _ are allowed`;
    if (explode !== '' && length !== undefined) return `can't both explode and cut "${name}"`;
    if (explode !== '' && operator === ';') return `can't have a list in ${text}`;
    variables.push({
      name,
      explodes: explode !== '',
      maxChars: length === undefined ? undefined : Number(length),
    });
  }
  if (operator === '?' || operator === '&') return queryExpression(operator, variables);
  return plainExpression(operator, variables);
}

/** Before each value, between two of them, and what a value can't hold. */
const OPERATORS: Readonly<
  Record<string, { first: string; next: string; except: string; optional: boolean }>
> = {
  '': { first: '', next: ',', except: '/?#', optional: false },
  '+': { first: '', next: ',', except: '', optional: false },
  '#': { first: '#', next: ',', except: '', optional: true },
  '.': { first: '.', next: '.', except: './?#', optional: true },
  '/': { first: '/', next: '/', except: '/?#', optional: true },
  ';': { first: ';', next: ';', except: ';/?#', optional: true },
};

function plainExpression(operator: string, variables: readonly Variable[]): Expression {
  const { first, next, except, optional } = OPERATORS[operator] ?? {
    first: '',
    next: ',',
    except: '',
    optional: false,
  };
  const patterns = variables.map(({ name, explodes }, index) => {
    const lead = RE2JS.quote(index === 0 ? first : next);
    // With more than one variable in it the separator is what parts them.
    const forbidden = variables.length > 1 ? except + next : except;
    const one = forbidden === '' ? '.' : `[^${[...new Set(forbidden)].map((each) => `\\${each}`).join('')}]`;
    if (operator === ';') return `(?:;${RE2JS.quote(name)}(?:=(${one}*))?)?`;
    if (explodes && next !== ',') return `((?:${lead}${one}*)*)`;
    return optional ? `(?:${lead}(${one}*))?` : `${lead}(${one}+)`;
  });
  return {
    pattern: patterns.join(''),
    captures: variables.length,
    variables: variables.map(({ name, explodes }) => ({ name, isList: explodes, isRequired: !optional })),
    read: (captured) =>
      readValues(
        variables.map((variable, index) => {
          const text = captured[index];
          if (!variable.explodes || text === undefined) return { variable, text };
          const list = next === ',' ? text.split(',') : text.split(next).slice(1);
          return { variable, text: list };
        }),
      ),
  };
}

/** `{?a,b}` and `{&a,b}`: any order, each may be missing, none may be strange. */
function queryExpression(operator: '?' | '&', variables: readonly Variable[]): Expression {
  return {
    pattern: `(?:\\${operator}([^#?]*))?`,
    captures: 1,
    variables: variables.map(({ name, explodes }) => ({ name, isList: explodes, isRequired: false })),
    read: ([query]) => {
      const given = new Map<string, string[]>();
      for (const pair of query === undefined || query === '' ? [] : query.split('&')) {
        const at = pair.indexOf('=');
        const name = at < 0 ? pair : pair.slice(0, at);
        const variable = variables.find((each) => each.name === name);
        const known = given.get(name) ?? [];
        if (variable === undefined || (known.length > 0 && !variable.explodes)) return undefined;
        given.set(name, [...known, at < 0 ? '' : pair.slice(at + 1)]);
      }
      return readValues(
        variables.map((variable) => {
          const values = given.get(variable.name);
          return { variable, text: variable.explodes ? values : values?.[0] };
        }),
      );
    },
  };
}

function readValues(
  values: readonly { readonly variable: Variable; readonly text: string | readonly string[] | undefined }[],
): [string, string | readonly string[]][] | undefined {
  const read: [string, string | readonly string[]][] = [];
  for (const { variable, text } of values) {
    if (text === undefined || (text.length === 0 && variable.explodes)) continue;
    const decoded = typeof text === 'string' ? decode(text) : text.slice(0, MAX_LIST + 1).map(decode);
    if (decoded === undefined) return undefined;
    if (typeof decoded === 'string') {
      if (variable.maxChars !== undefined && [...decoded].length > variable.maxChars) return undefined;
      read.push([variable.name, decoded]);
    } else {
      const list = decoded.filter((each) => each !== undefined);
      if (list.length !== decoded.length || list.length > MAX_LIST) return undefined;
      read.push([variable.name, list]);
    }
  }
  return read;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

import { toIdentifier } from '../scaffold/plugin-name.ts';
import * as literals from '../scaffold/test-text.ts';
import type { Operation } from './document.ts';
import type { BodyKind, Input, Inputs } from './inputs.ts';
import { unmarked, untyped } from './typed-text.ts';

export interface RequestCode {
  readonly name: string;
  readonly operation: Operation;
  readonly server: string;
  readonly inputs: Inputs;
  readonly queryKeys: Readonly<Record<string, string>>;
  /** What statuses mean, as the document says. */
  readonly meanings: Readonly<Record<string, string>>;
  readonly isJavaScript: boolean;
}

/** The implementation: one request, made out of the arguments, line by line where its author can change it. */
export function requestCode(request: RequestCode): string {
  const { name, operation, server, inputs, isJavaScript } = request;
  const own = toIdentifier(name.split('.').at(-1) ?? name);
  const helper = isJavaScript ? './http.js' : './http.ts';
  const lines = [...queryLines(request), ...headerLines(inputs), ...bodyLines(inputs)];
  const used = ['readAnswer', 'add', 'segment', 'text'].filter(
    (helperName) =>
      helperName === 'readAnswer' ||
      [pathText(operation, inputs), ...lines].some((line) => line.includes(`${helperName}(`)),
  );
  const types = isJavaScript
    ? ''
    : `import type { Arguments } from './schema.d.ts'; // written for you from schema.json\n`;
  const parameter = isJavaScript ? "/** @param {import('./schema.d.ts').Arguments} args */\n" : '';
  const hasArguments = inputs.inputs.length > 0;
  const text = `import { ${used.sort().join(', ')} } from '${helper}';
${types}
const SERVER = ${quote(server)};
/** What the server's statuses mean. */
const MEANINGS« : Readonly<Record<string, string>>» = ${meaningsText(request.meanings)};

// ${oneLine(`${operation.method} ${operation.path}`)}
${parameter}export default async function ${own}(${hasArguments ? 'args« : Arguments»' : ''}) {
  const url = new URL(${pathText(operation, inputs)});
${lines.map((line) => `  ${line}\n`).join('')}  const response = await fetch(url, { ${options(operation, inputs)} });
  return readAnswer(response, MEANINGS);
}
`;
  return untyped(text, isJavaScript);
}

const quote = (text: string): string => unmarked(literals.quote(text));
const propertyName = (key: string): string => unmarked(literals.propertyName(key));

function oneLine(text: string): string {
  return unmarked(text).replace(/\s+/g, ' ').replaceAll('\u2028', ' ').replaceAll('\u2029', ' ');
}

function argument({ argument: name }: Input): string {
  const key = propertyName(name);
  return key === name ? `args.${name}` : `args[${key}]`;
}

function pathText({ path }: Operation, { inputs }: Inputs): string {
  const parts = path.split(/\{([^}]+)\}/);
  const text = parts
    .map((part, index) => {
      if (index % 2 === 0) return unmarked(part.replace(/[\\`$]/g, '\\$&'));
      const input = inputs.find(({ place, wireName }) => place === 'path' && wireName === part);
      return input === undefined ? '' : `\${segment(${quote(input.argument)}, ${argument(input)})}`;
    })
    .join('');
  return `\`\${SERVER}${text}\``;
}

function queryLines({ inputs: { inputs }, queryKeys }: RequestCode): string[] {
  const lines = inputs
    .filter(({ place }) => place === 'query')
    .map((input) => {
      const style = ['plain', 'repeat', 'json'].includes(input.style) ? '' : `, '${input.style}'`;
      const value =
        input.style === 'json' ? `${argument(input)} && JSON.stringify(${argument(input)})` : argument(input);
      return `add(url.searchParams, ${quote(input.wireName)}, ${value}${style});`;
    });
  const keys = Object.entries(queryKeys).map(
    ([name, variable]) => `add(url.searchParams, ${quote(name)}, process.env.${variable});`,
  );
  return [...lines, ...keys];
}

function headerLines({ inputs, body }: Inputs): string[] {
  const fixed = [
    `accept: 'application/json'`,
    ...(body?.encoding === 'json' || body?.encoding === 'text'
      ? [`'content-type': ${quote(body.mediaType)}`]
      : []),
  ];
  const lines = inputs
    .filter(({ place }) => place === 'header')
    .map(
      (input) =>
        `if (${argument(input)} !== undefined) headers[${quote(input.wireName.toLowerCase())}] = text(${argument(input)});`,
    );
  return [`const headers« : Record<string, string>» = { ${fixed.join(', ')} };`, ...lines];
}

function bodyLines({ inputs, body }: Inputs): string[] {
  if (body === undefined) return [];
  const own = inputs.filter(({ place }) => place === 'body');
  const [whole] = own;
  if (whole?.wireName === '') {
    const value = argument(whole);
    if (body.encoding === 'text') return [`const body = ${value};`];
    if (body.encoding === 'json') return [jsonLine(value, whole.isRequired, value)];
    return [`const body = new ${formOf(body)}();`, `add(body, '', ${value}, 'spread');`];
  }
  if (body.encoding !== 'json') {
    const fields = own.map((input) => `add(body, ${quote(input.wireName)}, ${argument(input)});`);
    return [`const body = new ${formOf(body)}();`, ...fields];
  }
  const entries = own.map((input) => `${propertyName(input.wireName)}: ${argument(input)}`);
  const given = own.map((input) => `${argument(input)} !== undefined`).join(' || ');
  const isSure = body.isRequired || own.some(({ isRequired }) => isRequired);
  return [
    jsonLine(
      entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`,
      isSure,
      given === '' ? 'false' : given,
    ),
  ];
}

function jsonLine(value: string, isSure: boolean, condition: string): string {
  return isSure
    ? `const body = JSON.stringify(${value});`
    : `const body = ${condition.includes('!==') || condition === 'false' ? condition : `${condition} !== undefined`} ? JSON.stringify(${value}) : null;`;
}

function formOf({ encoding }: BodyKind): string {
  return encoding === 'form' ? 'URLSearchParams' : 'FormData';
}

function options({ method }: Operation, { body }: Inputs): string {
  return [`method: '${method}'`, 'headers', ...(body === undefined ? [] : ['body'])].join(', ');
}

function meaningsText(meanings: Readonly<Record<string, string>>): string {
  const entries = Object.entries(meanings).map(
    ([status, meaning]) => `${/^\d+$/.test(status) ? status : propertyName(status)}: ${quote(meaning)}`,
  );
  return entries.length === 0 ? '{}' : `{\n${entries.map((entry) => `  ${entry},\n`).join('')}}`;
}

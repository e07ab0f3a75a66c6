import type { SecretUse } from '../../plugin/manifest.ts';
import { isRecord } from '../../schema/pointer.ts';
import { type OpenApiDocument, OpenApiError, type Operation } from './document.ts';

export interface Security {
  readonly secrets: Readonly<Record<string, SecretUse>>;
  /** Keys that go into the query: name of the variable by name of the parameter. */
  readonly queryKeys: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
}

/** What the operation needs to be let in, as permissions: the first way that the document names. */
export function readSecurity(document: OpenApiDocument, { operation }: Operation, server: string): Security {
  const ways = operation.security ?? document.root.security;
  const requirements = Array.isArray(ways) ? ways.filter(isRecord) : [];
  const chosen = requirements.find((each) => Object.keys(each).length > 0);
  const secrets: Record<string, SecretUse> = {};
  const queryKeys: Record<string, string> = {};
  const notes: string[] = [];
  if (chosen === undefined) return { secrets, queryKeys, notes };
  if (requirements.some((each) => Object.keys(each).length === 0)) {
    notes.push('It can be called without a key; take "secrets" out of schema.json if you have none.');
  }
  const components = isRecord(document.root.components) ? document.root.components : {};
  const schemes = isRecord(components.securitySchemes) ? components.securitySchemes : {};
  for (const scheme of Object.keys(chosen)) {
    if (!Object.hasOwn(schemes, scheme))
      throw new OpenApiError(`it needs "${scheme}", which is no security scheme of the document`);
    const variable = variableFor(document, scheme);
    const { use, queryName, note } = readScheme(
      document.resolve(schemes[scheme]),
      variable,
      new URL(server).origin,
    );
    if (use !== undefined) secrets[variable] = use;
    if (queryName !== undefined) queryKeys[queryName] = variable;
    notes.push(note);
  }
  return { secrets, queryKeys, notes };
}

interface SchemeReading {
  readonly use?: SecretUse;
  readonly queryName?: string;
  readonly note: string;
}

function readScheme(
  scheme: Readonly<Record<string, unknown>>,
  variable: string,
  origin: string,
): SchemeReading {
  const { type, scheme: kind, in: place, name } = scheme;
  const template = `\${${variable}}`;
  const set = `Set ${variable} in the environment of the host`;
  const authorization = (value: string, note: string) => ({
    use: { header: 'Authorization', value, for: origin },
    note,
  });
  if (type === 'http' && String(kind).toLowerCase() === 'basic')
    return authorization(`Basic ${template}`, `${set}: "user:password" in base64.`);
  if (type === 'http') return authorization(`${capitalise(String(kind))} ${template}`, `${set}.`);
  if (type === 'oauth2' || type === 'openIdConnect')
    return authorization(`Bearer ${template}`, `${set}: an access token; the host does not renew it.`);
  if (type === 'apiKey' && typeof name === 'string') {
    if (place === 'header') return { use: { header: name, value: template, for: origin }, note: `${set}.` };
    if (place === 'cookie')
      return { use: { header: 'Cookie', value: `${name}=${template}`, for: origin }, note: `${set}.` };
    return {
      queryName: name,
      note: `${set}. Its key goes into the query, where only the plugin can put it: unlike a secret in a header, the plugin sees it.`,
    };
  }
  throw new OpenApiError(`its security scheme of type "${String(type)}" is none that a tool can use`);
}

/** `Swagger Petstore` and `api_key` are `SWAGGER_PETSTORE_API_KEY`. */
function variableFor(document: OpenApiDocument, scheme: string): string {
  const { title } = isRecord(document.root.info) ? document.root.info : {};
  const words = `${String(title ?? '')} ${scheme}`
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '' && !/^(api|openapi|the|v?\d+)$/i.test(word));
  const name = words
    .join('_')
    .toUpperCase()
    .replace(/^[^A-Z]+/, '');
  return name === '' ? 'API_KEY' : name.slice(0, 100);
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();
}

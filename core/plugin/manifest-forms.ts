import { isRecord } from '../schema/pointer.ts';

type Raw = Readonly<Record<string, unknown>>;

/** A manifest in our own keys, and where in the file each of them stood. */
export interface OwnForm {
  readonly values: Raw;
  /** JSON Pointer of a key's value. */
  readonly at: (key: string) => string;
  /** Are the keys ours, so that a wrong one is a mistake? Other people's objects may hold more. */
  readonly isOwn: boolean;
}

const ANNOTATIONS = {
  readOnlyHint: 'readOnly',
  destructiveHint: 'destructive',
  idempotentHint: 'idempotent',
  openWorldHint: 'openWorld',
} as const;
const OWN_KEYS = ['parameters', 'permissions', 'returns', 'examples', 'limits', 'state', 'approval', 'tags'];
/** Keywords that stand at the root of a bare JSON Schema and nowhere in a tool. */
const SCHEMA_KEYS = [
  'type',
  'properties',
  '$schema',
  '$ref',
  'anyOf',
  'oneOf',
  'allOf',
  'required',
  '$defs',
  'definitions',
];

/** Tells the forms apart in which people have their tools, and reads each into ours. */
export function readForm(raw: Raw): OwnForm {
  if (raw.type === 'function' && isRecord(raw.function)) return fromOpenAI(raw.function, '/function');
  if (raw.type === 'function' && typeof raw.name === 'string') return fromOpenAI(raw, '');
  if ('inputSchema' in raw) return fromMcp(raw);
  if ('input_schema' in raw) return renamed(raw, { input_schema: 'parameters' });
  if (isBareSchema(raw)) return fromSchema(raw);
  // `{ name, description, parameters, ... }` is everybody's form; a key that only we have makes it ours.
  return {
    ...renamed(raw, 'returns' in raw ? {} : { outputSchema: 'returns' }),
    isOwn: OWN_KEYS.slice(1).some((key) => key in raw),
  };
}

/** OpenAI's Chat form nests the function, the Responses form does not. */
function fromOpenAI(raw: Raw, prefix: string): OwnForm {
  const { type: _type, strict: _strict, ...values } = raw;
  return { values, at: (key) => `${prefix}/${key}`, isOwn: false };
}

function fromMcp(raw: Raw): OwnForm {
  const annotations: Record<string, unknown> = {};
  const hints = isRecord(raw.annotations) ? raw.annotations : {};
  for (const [theirs, ours] of Object.entries(ANNOTATIONS))
    if (hints[theirs] !== undefined) annotations[ours] = hints[theirs];
  const form = renamed(raw, { inputSchema: 'parameters', outputSchema: 'returns' });
  const title = raw.title ?? hints.title;
  return { ...form, values: { ...form.values, annotations, ...(title === undefined ? {} : { title }) } };
}

function renamed(raw: Raw, names: Readonly<Record<string, string>>): OwnForm {
  const back = new Map(Object.entries(names).map(([theirs, ours]) => [ours, theirs]));
  const values = Object.fromEntries(Object.entries(raw).map(([key, value]) => [names[key] ?? key, value]));
  return { values, at: (key) => `/${back.get(key) ?? key}`, isOwn: false };
}

function isBareSchema(raw: Raw): boolean {
  return !OWN_KEYS.some((key) => key in raw) && SCHEMA_KEYS.some((key) => key in raw);
}

/** The schema's own title and description are the tool's. */
function fromSchema(raw: Raw): OwnForm {
  const { title, description, name } = raw;
  const values = {
    parameters: raw,
    ...(typeof name === 'string' ? { name } : {}),
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  };
  return { values, at: (key) => (key === 'parameters' ? '' : `/${key}`), isOwn: false };
}

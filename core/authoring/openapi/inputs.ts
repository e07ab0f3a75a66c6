import { isRecord } from '../../schema/pointer.ts';
import { convertSchema } from './convert-schema.ts';
import { type OpenApiDocument, OpenApiError, type Operation } from './document.ts';

type Schema = Readonly<Record<string, unknown>>;

/** One argument of the tool, and where the request has it. */
export interface Input {
  /** The property of the arguments. */
  readonly argument: string;
  readonly place: 'path' | 'query' | 'header' | 'cookie' | 'body';
  /** The API's own name; empty where the argument is the body as a whole. */
  readonly wireName: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  /** How a list or an object is written into a query. */
  readonly style: 'repeat' | 'comma' | 'space' | 'pipe' | 'deep' | 'spread' | 'json' | 'plain';
}

export interface Inputs {
  readonly inputs: readonly Input[];
  readonly body: BodyKind | undefined;
  readonly notes: readonly string[];
}

export interface BodyKind {
  readonly mediaType: string;
  readonly encoding: 'json' | 'form' | 'multipart' | 'text';
  /** Must there be one, though every property of it may be left out? */
  readonly isRequired: boolean;
}

/** The specification has other places for these. */
const IGNORED_HEADERS = new Set(['accept', 'content-type', 'authorization']);
const PLACES = ['path', 'query', 'header', 'cookie'] as const;

/** Parameters and body as one flat list of arguments; names that clash get their place in front. */
export function readInputs(document: OpenApiDocument, found: Operation): Inputs {
  const notes: string[] = [];
  const parameters = readParameters(document, found);
  const { inputs: bodyInputs, body } = readBody(document, found, notes);
  const taken = new Set<string>();
  const inputs = [...parameters, ...bodyInputs].map((input) => {
    const argument = freeName(input, taken);
    taken.add(argument);
    return { ...input, argument, schema: nameOnTheWire(input, argument) };
  });
  for (const [, name] of found.path.matchAll(/\{([^}]+)\}/g)) {
    if (!inputs.some(({ place, wireName }) => place === 'path' && wireName === name))
      throw new OpenApiError(`its path has {${name}}, and no parameter of that name`);
  }
  return { inputs, body, notes };
}

/** Where the API's own name is another one, the argument says it. */
function nameOnTheWire({ schema, wireName, place }: Input, argument: string): Schema {
  if (wireName === '' || wireName === argument) return schema;
  const said = typeof schema.description === 'string' ? `${schema.description} ` : '';
  return { ...schema, description: `${said}(${wireName} in the ${place})` };
}

function freeName({ argument, place }: Input, taken: ReadonlySet<string>): string {
  if (!taken.has(argument)) return argument;
  let name = `${place}_${argument}`;
  while (taken.has(name)) name = `${name}_`;
  return name;
}

function readParameters(document: OpenApiDocument, { item, operation }: Operation): Input[] {
  const byKey = new Map<string, Input>();
  const listed = [item.parameters, operation.parameters].flatMap((list) => (Array.isArray(list) ? list : []));
  for (const each of listed) {
    const parameter = document.resolve(each);
    const { name, in: where } = parameter;
    const place = PLACES.find((known) => known === where);
    if (typeof name !== 'string' || place === undefined)
      throw new OpenApiError(`a parameter has no "name", or its "in" is none of ${PLACES.join(', ')}`);
    if (place === 'header' && IGNORED_HEADERS.has(name.toLowerCase())) continue;
    byKey.set(`${place} ${name}`, toInput(document, parameter, name, place));
  }
  return [...byKey.values()];
}

function toInput(document: OpenApiDocument, parameter: Schema, name: string, place: Input['place']): Input {
  const content = firstOf(parameter.content);
  const written = convertSchema(
    document,
    content === undefined ? (parameter.schema ?? {}) : content.media.schema,
  );
  const { description, example } = parameter;
  const given = example ?? firstExample(document, parameter.examples);
  const schema = {
    ...written,
    ...(typeof description === 'string' ? { description: oneParagraph(description) } : {}),
    ...(given === undefined ? {} : { examples: [given] }),
    // An empty one would make another path of it.
    ...(place === 'path' ? notEmpty(written) : {}),
  };
  return {
    argument: legalName(name),
    place,
    wireName: name,
    schema,
    isRequired: parameter.required === true || place === 'path',
    style: content === undefined ? styleOf(parameter, place, written) : 'json',
  };
}

function notEmpty({ type, minLength, minItems }: Schema): Schema {
  if (type === 'string' && minLength === undefined) return { minLength: 1 };
  return type === 'array' && minItems === undefined ? { minItems: 1 } : {};
}

function styleOf({ style, explode }: Schema, place: Input['place'], { type }: Schema): Input['style'] {
  const isForm = place === 'query' || place === 'cookie';
  const isExploded =
    explode === undefined ? isForm && (style === undefined || style === 'form') : explode === true;
  if (type === 'array') {
    if (style === 'spaceDelimited' && !isExploded) return 'space';
    if (style === 'pipeDelimited' && !isExploded) return 'pipe';
    return place === 'query' && isExploded ? 'repeat' : 'comma';
  }
  if (type !== 'object') return 'plain';
  if (style === 'deepObject') return 'deep';
  return place === 'query' && isExploded ? 'spread' : 'json';
}

function readBody(
  document: OpenApiDocument,
  { operation }: Operation,
  notes: string[],
): { inputs: Input[]; body: BodyKind | undefined } {
  const requestBody = document.resolve(operation.requestBody);
  const media = pickMedia(requestBody.content);
  if (media === undefined) {
    if (requestBody.content === undefined) return { inputs: [], body: undefined };
    const types = Object.keys(Object(requestBody.content)).join(', ');
    if (requestBody.required === true)
      throw new OpenApiError(`its body is ${types}; JSON, forms and text are what a tool can send`);
    notes.push(`Its body (${types}) is left out: JSON, forms and text are what a tool can send.`);
    return { inputs: [], body: undefined };
  }
  const isRequired = requestBody.required === true;
  const body: BodyKind = { mediaType: media.mediaType, encoding: media.encoding, isRequired };
  const schema = flattenAllOf(convertSchema(document, media.schema));
  const { description } = requestBody;
  const { properties } = schema;
  if (media.encoding === 'text' || !isFlat(schema) || !isRecord(properties)) {
    const described = typeof description === 'string' ? { description: oneParagraph(description) } : {};
    const whole: Input = {
      ...{ argument: 'body', place: 'body', wireName: '', isRequired, style: 'plain' },
      schema: { ...described, ...(media.encoding === 'text' ? { type: 'string' } : schema) },
    };
    return { inputs: [whole], body };
  }
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const inputs = Object.entries(properties).flatMap(([name, each]): Input[] => {
    const property = isRecord(each) ? each : {};
    const isBinary = media.encoding === 'multipart' && property.format === 'binary';
    if (isBinary && required.has(name))
      throw new OpenApiError(`its body needs a file ("${name}"), which arguments can't carry`);
    if (isBinary) return [];
    return [
      {
        ...{ argument: legalName(name), place: 'body', wireName: name, style: 'plain' },
        schema: { ...property, ...(schema.$defs === undefined ? {} : { $defs: schema.$defs }) },
        isRequired: isRequired && required.has(name),
      },
    ];
  });
  return { inputs, body };
}

/** Can its properties stand beside the parameters? Not if it says more about the object than its properties. */
function isFlat(schema: Schema): boolean {
  const says = ['oneOf', 'anyOf', 'allOf', 'not', 'if', '$ref', 'patternProperties', 'minProperties'].some(
    (key) => key in schema,
  );
  return (
    !says && !isRecord(schema.additionalProperties) && schema.type !== 'array' && isRecord(schema.properties)
  );
}

/** Parts that are plain objects are one object. */
function flattenAllOf(schema: Schema): Schema {
  const { allOf, ...rest } = schema;
  if (!Array.isArray(allOf)) return schema;
  const parts = [...allOf.map((part) => flattenAllOf(isRecord(part) ? part : {})), rest];
  const known = new Set([
    'type',
    'properties',
    'required',
    'description',
    'title',
    'additionalProperties',
    '$defs',
    'examples',
  ]);
  if (!parts.every((part) => Object.keys(part).every((key) => known.has(key)))) return schema;
  return {
    ...Object.assign({}, ...parts),
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: [...new Set(parts.flatMap(({ required }) => (Array.isArray(required) ? required : [])))],
  };
}

interface Media {
  readonly mediaType: string;
  readonly encoding: BodyKind['encoding'];
  readonly schema: unknown;
}

function pickMedia(content: unknown): Media | undefined {
  const kinds: readonly [RegExp, BodyKind['encoding']][] = [
    [/^application\/json\b/i, 'json'],
    [/^application\/(?!json-patch)[\w.+-]*\+json\b/i, 'json'],
    [/^application\/x-www-form-urlencoded\b/i, 'form'],
    [/^multipart\/form-data\b/i, 'multipart'],
    [/^application\/json-patch\+json\b|^\*\/\*$|^application\/\*$/i, 'json'],
    [/^text\//i, 'text'],
  ];
  for (const [pattern, encoding] of kinds) {
    for (const [name, media] of Object.entries(isRecord(content) ? content : {})) {
      if (!pattern.test(name)) continue;
      const mediaType = name.includes('*') ? 'application/json' : name;
      return { mediaType, encoding, schema: isRecord(media) ? (media.schema ?? {}) : {} };
    }
  }
  return undefined;
}

function firstOf(content: unknown): { media: Schema } | undefined {
  const [media] = isRecord(content) ? Object.values(content) : [];
  return isRecord(media) ? { media } : undefined;
}

function firstExample(document: OpenApiDocument, examples: unknown): unknown {
  const [first] = isRecord(examples) ? Object.values(examples) : [];
  return first === undefined ? undefined : document.resolve(first).value;
}

/** What every provider takes as the name of a property: `filter[name]` is `filter_name`. */
function legalName(name: string): string {
  const legal = name
    .replace(/[^a-zA-Z0-9_.-]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 64);
  return legal === '' || legal === '__proto__' ? 'value' : legal;
}

export function oneParagraph(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

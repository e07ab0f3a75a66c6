import { Ajv2020 } from 'ajv/dist/2020.js';
import { exportTools } from '../../core/adapters/export.ts';
import { parseLossless } from '../../core/adapters/lossless-json.ts';
import type { Target } from '../../core/adapters/targets.ts';
import type { JsonSchema, Manifest } from '../../core/plugin/manifest.ts';

export function manifestOf(name: string, parameters: JsonSchema, more: Partial<Manifest> = {}): Manifest {
  return {
    name,
    description: `Does ${name}.`,
    parameters,
    examples: [],
    annotations: {},
    permissions: {},
    limits: {},
    state: 'fresh',
    tags: [],
    ...more,
  };
}

/** The parameters schema inside a target's tool form; Gemini leaves it out where there are none. */
export function schemaIn(target: Target, form: unknown): JsonSchema | undefined {
  const tool = form as Record<string, Record<string, unknown>>; // cast: the five forms are told apart by target
  switch (target) {
    case 'openai':
      return tool.function?.parameters as JsonSchema;
    case 'responses':
      return tool.parameters;
    case 'anthropic':
      return tool.input_schema;
    case 'mcp':
      return tool.inputSchema;
    case 'gemini':
      return (tool.functionDeclarations as unknown as { parameters?: JsonSchema }[])[0]?.parameters;
  }
}

export function exportOne(parameters: JsonSchema, target: Target, strict = false) {
  const manifest = manifestOf('tool', parameters);
  const exported = exportTools([manifest], target, { strict });
  return {
    ...exported,
    schema: schemaIn(target, exported.tools[0]),
    isStrict: exported.mapping.isStrict('tool'),
  };
}

type Check = (value: unknown) => boolean;

/** One for all: making it costs more than most schemas. */
const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** Ajv over an exported schema; a Gemini schema is first read as JSON Schema. */
export function validator(target: Target, schema: JsonSchema | undefined): Check {
  if (schema === undefined) return () => true;
  return ajv.compile(target === 'gemini' ? (fromGemini(schema) as object) : schema);
}

function fromGemini(node: unknown): unknown {
  const schema = node as Record<string, unknown>; // cast: only ever called on schema objects
  if (Array.isArray(schema.anyOf)) return { anyOf: schema.anyOf.map(fromGemini) };
  const result: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'type') result.type = String(value).toLowerCase();
    else if (keyword === 'properties') {
      result.properties = Object.fromEntries(
        Object.entries(value as object).map(([key, child]) => [key, fromGemini(child)]),
      );
    } else if (keyword === 'items') result.items = fromGemini(value);
    else if (/^(min|max)(Length|Items|Properties)$/.test(keyword)) result[keyword] = Number(value);
    else if (keyword !== 'nullable') result[keyword] = value;
  }
  return schema.nullable === true ? { anyOf: [result, { type: 'null' }] } : result;
}

/** What a model under a strict schema sends: null for each property that it leaves out. */
export function withNulls(value: unknown, schema: unknown, root: JsonSchema): unknown {
  const node = schema as Record<string, unknown>; // cast: only ever called on schema objects
  if (typeof node.$ref === 'string') return withNulls(value, pointer(root, node.$ref), root);
  if (Array.isArray(node.anyOf)) {
    const forms = node.anyOf.map((branch) => withNulls(value, branch, root));
    const index = node.anyOf.findIndex((branch, at) => branchValidator(branch, root)(forms[at]));
    return index === -1 ? value : forms[index];
  }
  if (Array.isArray(value)) return value.map((item) => withNulls(item, node.items ?? {}, root));
  if (typeof value !== 'object' || value === null || typeof node.properties !== 'object') return value;
  const properties = Object.entries(node.properties as object);
  const filled = properties
    .filter(([key]) => Object.hasOwn(value, key) || (node.required as string[] | undefined)?.includes(key))
    .map(([key, child]) => {
      const inner = (value as Record<string, unknown>)[key]; // cast: an object, checked above
      return [key, inner === undefined ? null : withNulls(inner, child, root)] as const;
    });
  const others = Object.entries(value).filter(([key]) => !properties.some(([name]) => name === key));
  return Object.fromEntries([...filled, ...others]);
}

function branchValidator(branch: unknown, root: JsonSchema): Check {
  return ajv.compile({ ...(branch as object), $defs: root.$defs });
}

function pointer(root: JsonSchema, reference: string): unknown {
  let node: unknown = root;
  for (const token of reference.split('/').slice(1)) node = (node as Record<string, unknown>)[token]; // cast: test input
  return node;
}

export interface Trip {
  readonly sent: unknown;
  readonly accepted: boolean;
  readonly objectBack: unknown;
  readonly textBack: unknown;
}

/** A tool's own call, out to the form a model would send under this export, and back, as object and as text. */
export function roundTrip(manifest: Manifest, target: Target, strict: boolean, args: unknown): Trip {
  const { tools, mapping } = exportTools([manifest], target, { strict });
  const schema = schemaIn(target, tools[0]);
  const call = mapping.encode(manifest.name, args);
  const nulls = mapping.isStrict(manifest.name) && target !== 'anthropic' && schema !== undefined;
  const sent = nulls ? withNulls(call.arguments, schema, schema) : call.arguments;
  const text = mapping.restore(call.name, JSON.stringify(sent)).arguments;
  return {
    sent,
    accepted: validator(target, schema)(sent),
    objectBack: mapping.restore(call.name, sent).arguments,
    textBack: parseLossless(String(text))?.value,
  };
}

import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { JsonSchema } from '../plugin/manifest.ts';
import { compilePattern } from '../schema/pattern.ts';
import { toDraft07 } from './draft-07.ts';
import { Restorer } from './restore.ts';
import { convertSchema } from './schema-convert.ts';
import { TARGET_RULES } from './targets.ts';

/** Standard Schema and Standard JSON Schema in one object: what the agent SDKs take as a tool's parameters. */
export interface StandardToolSchema<Input = Record<string, unknown>> {
  readonly '~standard': StandardSchemaV1.Props<Input> & StandardJSONSchemaV1.Props<Input>;
}

export interface StandardSchemaOptions {
  /**
   * What is wrong with a value; empty when nothing is. It must answer at once: the OpenAI Agents SDK takes no promise.
   * @defaultValue ajv, compiled at the first use
   */
  readonly validate?: (value: unknown) => readonly StandardSchemaV1.Issue[];
}

/**
 * Wraps a JSON Schema so that it plugs into the Vercel AI SDK, the OpenAI Agents SDK, Mastra and the MCP SDK as it is.
 * A valid value is left alone. SDKs that make schemas strict have models write null for what they leave out; such a
 * value is taken too, and given on without those nulls.
 */
export function toStandardSchema<Input = Record<string, unknown>>(
  schema: JsonSchema,
  options: StandardSchemaOptions = {},
): StandardToolSchema<Input> {
  const check = options.validate ?? ajvCheck(schema);
  const restorer = new Restorer({ root: schema, keyNames: new Map(), syntheticNulls: true });
  const convert = ({ target }: StandardJSONSchemaV1.Options): Record<string, unknown> =>
    jsonSchemaFor(schema, target);
  return {
    '~standard': {
      version: 1,
      vendor: 'glovebox',
      validate(value): StandardSchemaV1.Result<Input> {
        const issues = check(value);
        if (issues.length === 0) return { value: value as Input }; // cast: just validated
        const restored = restorer.restore(value);
        if (restored === value || check(restored).length > 0) return { issues };
        return { value: restored as Input }; // cast: just validated
      },
      jsonSchema: { input: convert, output: convert },
    },
  };
}

/** A fresh copy each time: some SDKs write into it. */
function jsonSchemaFor(schema: JsonSchema, target: string): Record<string, unknown> {
  const converted = convertSchema(schema, TARGET_RULES.mcp.schema, new Map()).schema;
  if (target === 'draft-2020-12') return structuredClone({ ...converted });
  if (target === 'draft-07') return structuredClone({ ...toDraft07(converted) });
  throw new Error(`There is no conversion to ${target}; ask for draft-2020-12 or draft-07.`);
}

function ajvCheck(schema: JsonSchema): (value: unknown) => readonly StandardSchemaV1.Issue[] {
  let compiled: ValidateFunction | undefined;
  return (value) => {
    compiled ??= compile(schema);
    return compiled(value) ? [] : (compiled.errors ?? []).map(issueOf);
  };
}

function compile(schema: JsonSchema): ValidateFunction {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    ownProperties: true,
    code: { regExp: linearRegExp },
  });
  // cast: the package's default export is typed for CommonJS only
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  return ajv.compile(convertSchema(schema, TARGET_RULES.mcp.schema, new Map()).schema);
}

/** A stranger's pattern must not hang the process that checks it. What can't be linear is refused when a plugin loads. */
const linearRegExp = Object.assign(
  (source: string) => {
    const compiled = compilePattern(source);
    if (!compiled.ok) throw new Error(`The pattern ${source} ${compiled.reason}.`);
    const { pattern } = compiled;
    // Ajv tells compiled patterns apart by their text form.
    return { test: (text: string) => pattern.test(text), toString: () => `/${source}/` };
  },
  { code: 'linearRegExp' },
);

function issueOf(error: ErrorObject): StandardSchemaV1.Issue {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  const detail = error.keyword === 'enum' ? `: ${JSON.stringify(error.params.allowedValues)}` : '';
  return { message: `${error.message ?? error.keyword}${detail}`, path };
}

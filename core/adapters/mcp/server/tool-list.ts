import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import type { View } from '../../../catalog/view.ts';
import type { JsonSchema } from '../../../plugin/manifest.ts';
import { readDialect } from '../../../schema/dialect.ts';
import { convertSchema } from '../../schema-convert.ts';
import { mapOf } from '../../schema-node.ts';
import { TARGET_RULES } from '../../targets.ts';

const lists = new WeakMap<object, readonly ListedTool[]>();
const outputs = new WeakMap<JsonSchema, { readonly schema: JsonSchema | undefined }>();

/** The tools as MCP lists them, by name; the same array while the same tools serve. */
export function listedTools(view: View): readonly ListedTool[] {
  const { tools, mapping } = view.export('mcp');
  const known = lists.get(tools);
  if (known !== undefined) return known;
  const listed = tools
    .map(({ outputSchema: _, ...tool }): ListedTool => {
      const { parameters, returns } = view.get(mapping.toolName(tool.name) ?? tool.name)?.manifest ?? {};
      const schema = returns === undefined ? undefined : outputSchemaOf(returns);
      return {
        ...tool,
        ...(parameters !== undefined && isCurrent(parameters)
          ? { inputSchema: { ...parameters, type: 'object' } }
          : {}),
        ...(schema === undefined ? {} : { outputSchema: schema }),
      };
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  lists.set(tools, listed);
  return listed;
}

/**
 * What a tool returns, in 2020-12. Its root may be of any type: for older clients the SDK wraps what is no object.
 * Undefined where it can't be told: a root that is no object and has references, which wrapping would break.
 */
export function outputSchemaOf(returns: JsonSchema): JsonSchema | undefined {
  const known = outputs.get(returns);
  if (known !== undefined) return known.schema;
  const schema = convert(returns);
  outputs.set(returns, { schema });
  return schema;
}

/** Does it say itself that it is of 2020-12? Then it goes out as its author wrote it. */
function isCurrent({ $schema }: JsonSchema): boolean {
  return typeof $schema === 'string' && readDialect($schema) === '2020-12';
}

function convert(returns: JsonSchema): JsonSchema | undefined {
  if (isCurrent(returns)) return returns;
  const rules = TARGET_RULES.mcp.schema;
  if (returns.type === 'object') return convertSchema(returns, rules, new Map()).schema;
  if (/"\$(?:dynamic|recursive)?[Rr]ef"/.test(JSON.stringify(returns))) return undefined;
  // The conversion is one of parameters, whose root is an object.
  const wrapped = { type: 'object', properties: { result: returns } };
  return mapOf(mapOf(convertSchema(wrapped, rules, new Map()).schema.properties).result);
}

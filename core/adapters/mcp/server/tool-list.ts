import type { Tool as ListedTool } from '@modelcontextprotocol/server';
import type { View } from '../../../catalog/view.ts';
import type { JsonSchema } from '../../../plugin/manifest.ts';
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
      const returns = view.get(mapping.toolName(tool.name) ?? tool.name)?.manifest.returns;
      const schema = returns === undefined ? undefined : outputSchemaOf(returns);
      return { ...tool, ...(schema === undefined ? {} : { outputSchema: schema }) };
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

function convert(returns: JsonSchema): JsonSchema | undefined {
  const rules = TARGET_RULES.mcp.schema;
  if (returns.type === 'object') return convertSchema(returns, rules, new Map()).schema;
  if (/"\$(?:dynamic|recursive)?[Rr]ef"/.test(JSON.stringify(returns))) return undefined;
  // The conversion is one of parameters, whose root is an object.
  const wrapped = { type: 'object', properties: { result: returns } };
  return mapOf(mapOf(convertSchema(wrapped, rules, new Map()).schema.properties).result);
}

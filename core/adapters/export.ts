import type { JsonSchema, Manifest } from '../plugin/manifest.ts';
import {
  type AnthropicTool,
  envelope,
  type GeminiTool,
  type McpTool,
  type OpenAITool,
  type ResponsesTool,
} from './forms.ts';
import { toGeminiSchema } from './gemini-schema.ts';
import { ToolMapping } from './mapping.ts';
import { legalNames } from './names.ts';
import { propertyNames, Restorer } from './restore.ts';
import { convertSchema } from './schema-convert.ts';
import { mapOf } from './schema-node.ts';
import { makeStrict, type StrictUse } from './strict.ts';
import { TARGET_RULES, TARGETS, type Target, type TargetRules } from './targets.ts';

export interface ExportOptions {
  /**
   * Ask for the target's strict mode. A tool that can't be strict is exported plain, and a note says why.
   * Gemini and MCP have no such mode. @defaultValue false
   */
  readonly strict?: boolean;
}

/** Something that the export changed or could not do. */
export interface ExportNote {
  readonly tool: string;
  readonly kind:
    | 'renamed_tool'
    | 'renamed_property'
    | 'rewritten'
    | 'not_strict'
    | 'duplicate'
    | 'too_many_tools';
  readonly message: string;
}

/** What each target takes as its `tools`. */
export interface ToolForms {
  readonly openai: OpenAITool;
  readonly responses: ResponsesTool;
  readonly anthropic: AnthropicTool;
  readonly gemini: GeminiTool;
  readonly mcp: McpTool;
}

export interface Exported<Form> {
  readonly tools: Form[];
  /** Names and arguments back to the tool's own. */
  readonly mapping: ToolMapping;
  readonly notes: readonly ExportNote[];
}

/** One tool in a target's schema dialect, before its envelope. It depends on the tool alone, so it can be kept. */
export interface PreparedTool {
  readonly manifest: Manifest;
  readonly schema: JsonSchema;
  readonly strict: boolean;
  readonly use?: StrictUse;
  readonly restorer: Restorer;
  readonly notes: readonly ExportNote[];
}

const prepared = new WeakMap<Manifest, Map<string, PreparedTool>>();

/**
 * Exports tools in the form that a target's API takes. The same list gives the same bytes, so that a provider's
 * prompt cache keeps working.
 *
 * @param manifests - in the order wanted; a second tool of the same name is left out, with a note.
 */
export function exportTools<Name extends Target>(
  manifests: readonly Manifest[],
  target: Name,
  options: ExportOptions = {},
): Exported<ToolForms[Name]> {
  const rules: (typeof TARGET_RULES)[Target] | undefined = TARGET_RULES[target];
  if (rules === undefined)
    throw new TypeError(`there is no target "${target}"; one of ${TARGETS.join(', ')}`);
  const notes: ExportNote[] = [];
  const unique = new Map<string, Manifest>();
  for (const manifest of manifests) {
    if (!unique.has(manifest.name)) unique.set(manifest.name, manifest);
    else
      notes.push({
        tool: manifest.name,
        kind: 'duplicate',
        message: 'a tool of this name is already in the list',
      });
  }
  const names = legalNames(unique.keys(), rules.toolName);
  const budget = new StrictBudget(rules);
  const tools: PreparedTool[] = [];
  for (const manifest of unique.values()) {
    const tool = withinBudget(manifest, target, options.strict === true, budget);
    const name = names.get(manifest.name);
    if (name !== manifest.name) {
      notes.push({ tool: manifest.name, kind: 'renamed_tool', message: `${rules.title} sees it as ${name}` });
    }
    notes.push(...tool.notes);
    tools.push(tool);
  }
  if (rules.tools !== undefined && tools.length > rules.tools) {
    const message = `${rules.title} takes ${rules.tools} tools at most, these are ${tools.length}`;
    notes.push({ tool: '', kind: 'too_many_tools', message });
  }
  const forms = envelope(
    target,
    tools.map((tool) => ({ tool, name: names.get(tool.manifest.name) ?? tool.manifest.name })),
  );
  return { tools: forms, mapping: new ToolMapping(names, tools), notes };
}

function withinBudget(
  manifest: Manifest,
  target: Target,
  strict: boolean,
  budget: StrictBudget,
): PreparedTool {
  const tool = prepareTool(manifest, target, strict);
  if (tool.use === undefined || budget.take(tool.use)) return tool;
  const plain = prepareTool(manifest, target, false);
  const message = `not strict: ${budget.title} compiles only so much per request, and the tools before it used it up`;
  return { ...plain, notes: [...plain.notes, { tool: manifest.name, kind: 'not_strict', message }] };
}

export function prepareTool(manifest: Manifest, target: Target, strict: boolean): PreparedTool {
  const key = `${target}${strict ? ' strict' : ''}`;
  const forms = prepared.get(manifest) ?? new Map<string, PreparedTool>();
  prepared.set(manifest, forms);
  const known = forms.get(key);
  if (known !== undefined) return known;
  const tool = prepare(manifest, target, strict);
  forms.set(key, tool);
  return tool;
}

function prepare(manifest: Manifest, target: Target, strict: boolean): PreparedTool {
  const rules = TARGET_RULES[target];
  const root = manifest.parameters;
  const names = propertyNames(root);
  const keyNames =
    rules.propertyName === undefined ? new Map<string, string>() : legalNames(names, rules.propertyName);
  const notes: ExportNote[] = [];
  for (const [name, exported] of keyNames) {
    if (name !== exported)
      notes.push({
        tool: manifest.name,
        kind: 'renamed_property',
        message: `${name} is exported as ${exported}`,
      });
  }
  if (strict && rules.strict !== undefined) {
    const conversion = convertSchema(root, rules.strict.schema, keyNames);
    const outcome = makeStrict(conversion.schema, rules.strict);
    if (outcome.ok) {
      const restorer = new Restorer({ root, keyNames, syntheticNulls: rules.strict.allRequired });
      notes.push(...rewritten(manifest, conversion.notes));
      return { manifest, schema: outcome.schema, strict: true, use: outcome.use, restorer, notes };
    }
    notes.push({
      tool: manifest.name,
      kind: 'not_strict',
      message: `not strict: ${outcome.reasons.join('; ')}`,
    });
  }
  const conversion = convertSchema(root, rules.schema, keyNames);
  notes.push(...rewritten(manifest, conversion.notes));
  const schema = target === 'gemini' ? toGeminiSchema(conversion.schema) : conversion.schema;
  const restorer = new Restorer({ root, keyNames, syntheticNulls: false });
  return { manifest, schema: tidyRoot(schema), strict: false, restorer, notes };
}

function rewritten(manifest: Manifest, notes: readonly string[]): ExportNote[] {
  return notes.map((message) => ({ tool: manifest.name, kind: 'rewritten', message }));
}

/** Providers refuse an object at the root that has no `properties` key at all. */
function tidyRoot(schema: JsonSchema): JsonSchema {
  return schema.type === 'object' ? { ...schema, properties: mapOf(schema.properties) } : schema;
}

class StrictBudget {
  readonly title: string;
  readonly #limits:
    | { readonly tools: number; readonly optional: number; readonly unions: number }
    | undefined;
  #tools = 0;
  #optional = 0;
  #unions = 0;

  constructor(rules: TargetRules) {
    this.title = rules.title;
    this.#limits = rules.strict?.request;
  }

  take(use: StrictUse): boolean {
    const limits = this.#limits;
    if (limits === undefined) return true;
    const fitting =
      this.#tools + 1 <= limits.tools &&
      this.#optional + use.optional <= limits.optional &&
      this.#unions + use.unions <= limits.unions;
    if (!fitting) return false;
    this.#tools += 1;
    this.#optional += use.optional;
    this.#unions += use.unions;
    return true;
  }
}

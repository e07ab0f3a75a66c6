import type { Annotations, JsonSchema, Manifest } from '../plugin/manifest.ts';
import type { PreparedTool, ToolForms } from './export.ts';
import { TARGET_RULES, type Target } from './targets.ts';

/** A tool for `client.chat.completions.create({ tools })`. */
export interface OpenAITool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: { [keyword: string]: unknown };
    readonly strict?: boolean;
  };
}

/** A tool for `client.responses.create({ tools })`. */
export interface ResponsesTool {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly parameters: { [keyword: string]: unknown };
  readonly strict: boolean;
}

/** A tool for Anthropic's `client.messages.create({ tools })`. */
export interface AnthropicTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: { readonly type: 'object'; [keyword: string]: unknown };
  readonly strict?: boolean;
}

export interface GeminiFunction {
  readonly name: string;
  readonly description: string;
  /** Absent for a function without parameters. */
  readonly parameters?: JsonSchema;
}

/** The one entry of Gemini's `config.tools`: it holds all functions. */
export interface GeminiTool {
  readonly functionDeclarations: GeminiFunction[];
}

/** An entry of MCP's `tools/list`. */
export interface McpTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: { readonly type: 'object'; [keyword: string]: unknown };
  readonly outputSchema?: { readonly type: 'object'; [keyword: string]: unknown };
  readonly annotations?: {
    readonly title?: string;
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
}

interface Named {
  readonly tool: PreparedTool;
  readonly name: string;
}

export function envelope<Name extends Target>(target: Name, tools: readonly Named[]): ToolForms[Name][] {
  const forms = FORMS[target](tools);
  return forms as ToolForms[Name][]; // cast: FORMS is keyed by target, which the index signature can't say
}

const FORMS: { readonly [Name in Target]: (tools: readonly Named[]) => ToolForms[Name][] } = {
  openai: (tools) =>
    tools.map(({ tool, name }) => {
      const { description, schema } = described(tool, 'openai');
      const strict = tool.strict ? { strict: true } : {};
      return { type: 'function', function: { name, description, parameters: schema, ...strict } };
    }),
  responses: (tools) =>
    tools.map(({ tool, name }) => {
      const { description, schema } = described(tool, 'responses');
      // The Responses API takes a missing `strict` for true.
      return { type: 'function', name, description, parameters: schema, strict: tool.strict };
    }),
  anthropic: (tools) =>
    tools.map(({ tool, name }) => {
      const { description, schema } = described(tool, 'anthropic');
      return {
        name,
        description,
        input_schema: objectSchema(schema),
        ...(tool.strict ? { strict: true } : {}),
      };
    }),
  gemini: (tools) => (tools.length === 0 ? [] : [{ functionDeclarations: tools.map(geminiFunction) }]),
  mcp: (tools) => tools.map(({ tool, name }) => mcpTool(tool.manifest, name, tool.schema)),
};

function geminiFunction({ tool, name }: Named): GeminiFunction {
  const { description, schema } = described(tool, 'gemini');
  return schema.properties === undefined ? { name, description } : { name, description, parameters: schema };
}

function mcpTool(manifest: Manifest, name: string, schema: JsonSchema): McpTool {
  const hints = annotationHints(manifest.annotations);
  return {
    name,
    ...(manifest.title === undefined ? {} : { title: manifest.title }),
    description: manifest.description,
    inputSchema: objectSchema(schema),
    // MCP allows an output schema for objects only.
    ...(manifest.returns?.type === 'object' ? { outputSchema: objectSchema(manifest.returns) } : {}),
    ...(hints === undefined ? {} : { annotations: hints }),
  };
}

function annotationHints(annotations: Annotations): McpTool['annotations'] | undefined {
  const { readOnly, destructive, idempotent, openWorld } = annotations;
  const hints = {
    ...(readOnly === undefined ? {} : { readOnlyHint: readOnly }),
    ...(destructive === undefined ? {} : { destructiveHint: destructive }),
    ...(idempotent === undefined ? {} : { idempotentHint: idempotent }),
    ...(openWorld === undefined ? {} : { openWorldHint: openWorld }),
  };
  return Object.keys(hints).length > 0 ? hints : undefined;
}

function objectSchema(schema: JsonSchema): { type: 'object'; [keyword: string]: unknown } {
  return { ...schema, type: 'object' };
}

/** Where a target bounds a tool's description, the rest of it goes to the schema's, which is not bounded. */
function described(
  tool: PreparedTool,
  target: Target,
): { description: string; schema: { [keyword: string]: unknown } } {
  const { descriptionChars } = TARGET_RULES[target];
  const { description } = tool.manifest;
  if (descriptionChars === undefined || description.length <= descriptionChars) {
    return { description, schema: { ...tool.schema } };
  }
  const cut = splitPoint(description, descriptionChars);
  const rest = description.slice(cut).trim();
  const own = typeof tool.schema.description === 'string' ? ` ${tool.schema.description}` : '';
  return {
    description: description.slice(0, cut).trim(),
    schema: { ...tool.schema, description: `${rest}${own}` },
  };
}

/** The end of the last sentence, line or word that still fits; never inside a surrogate pair. */
function splitPoint(text: string, length: number): number {
  const head = text.slice(0, length);
  const sentence = Math.max(head.lastIndexOf('. '), head.lastIndexOf('\n'), head.lastIndexOf('。'));
  if (sentence > length / 2) return sentence + 1;
  const space = head.lastIndexOf(' ');
  if (space > length / 2) return space;
  return /[\uD800-\uDBFF]$/.test(head) ? length - 1 : length;
}

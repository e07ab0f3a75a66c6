import type { CallResult } from '../call/result.ts';
import type { Manifest } from '../plugin/manifest.ts';
import { legalNames } from './names.ts';
import type { StandardToolSchema } from './standard-schema.ts';
import { toStandardSchema } from './standard-schema.ts';
import { TARGET_RULES } from './targets.ts';

/** One tool bound to a host, in the words that agent SDKs share; spread it into their `tool()`. */
export interface BoundTool {
  /** Legal for every provider. */
  readonly name: string;
  /** The same again, for Mastra. */
  readonly id: string;
  readonly title?: string;
  readonly description: string;
  /** For the Vercel AI SDK, Mastra and the MCP SDK. */
  readonly inputSchema: StandardToolSchema;
  /** The same again, for the OpenAI Agents SDK. */
  readonly parameters: StandardToolSchema;
  /** Plain JSON Schema, for LangChain. */
  readonly jsonSchema: Record<string, unknown>;
  /** Runs the tool and gives what the model reads. Never rejects. The second argument may carry an abort signal. */
  execute(input: unknown, ...context: readonly unknown[]): Promise<string>;
}

interface Caller {
  call(request: {
    readonly name: string;
    readonly arguments: unknown;
    readonly session?: string;
    readonly signal?: AbortSignal;
  }): Promise<CallResult>;
}

/** Binds tools to a host for use with an agent SDK. Names are legal for all providers: letters, digits, `_` and `-`. */
export function bindTools(
  host: Caller,
  manifests: readonly Manifest[],
  options: { readonly session?: string } = {},
): BoundTool[] {
  const names = legalNames(
    manifests.map((manifest) => manifest.name),
    TARGET_RULES.gemini.toolName,
  );
  const session = options.session === undefined ? {} : { session: options.session };
  return manifests.map((manifest) => {
    const schema = toStandardSchema(manifest.parameters);
    const name = names.get(manifest.name) ?? manifest.name;
    return {
      name,
      id: name,
      ...(manifest.title === undefined ? {} : { title: manifest.title }),
      description: manifest.description,
      inputSchema: schema,
      parameters: schema,
      jsonSchema: schema['~standard'].jsonSchema.input({ target: 'draft-07' }),
      async execute(input, ...context) {
        const signal = context.map(signalIn).find((found) => found !== undefined);
        const request = {
          name: manifest.name,
          arguments: input ?? {},
          ...session,
          ...(signal === undefined ? {} : { signal }),
        };
        try {
          return (await host.call(request)).content;
        } catch {
          return 'Error: The tool could not be called.';
        }
      },
    };
  });
}

/** `abortSignal` (AI SDK, Mastra), `signal` (Agents SDK, LangChain), `mcpReq.signal` (MCP SDK). */
function signalIn(context: unknown): AbortSignal | undefined {
  if (typeof context !== 'object' || context === null) return undefined;
  const { abortSignal, signal, mcpReq } = context as {
    abortSignal?: unknown;
    signal?: unknown;
    mcpReq?: unknown;
  }; // cast: read only
  for (const found of [abortSignal, signal]) if (found instanceof AbortSignal) return found;
  return mcpReq === undefined ? undefined : signalIn(mcpReq);
}

import type { CallToolResult } from '@modelcontextprotocol/server';
import type { CallResult, ContentPart } from '../../../call/result.ts';

type Block = CallToolResult['content'][number];

/**
 * A call's answer as MCP writes it.
 *
 * @param isStructured - the tool has an output schema, so the value goes along as data.
 */
export function toCallToolResult(result: CallResult, isStructured: boolean): CallToolResult {
  const text = { type: 'text', text: result.content } as const;
  if (!result.ok) return { content: [text], isError: true };
  return {
    content: [text, ...(result.parts ?? []).map(toBlock)],
    // What was held against the tool's `returns`, and so is plain JSON.
    ...(isStructured ? { structuredContent: result.value as CallToolResult['structuredContent'] } : {}),
  };
}

function toBlock(part: ContentPart, index: number): Block {
  const { data, mimeType } = part;
  if (part.type === 'image') return { type: 'image', data, mimeType };
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType };
  return { type: 'resource', resource: { uri: uriOf(part.name, index), mimeType, blob: data } };
}

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

function uriOf(name: string | undefined, index: number): string {
  if (name !== undefined && SCHEME.test(name) && URL.canParse(name)) return name;
  return `attachment:///${encodeURIComponent((name ?? `file-${index + 1}`).toWellFormed())}`;
}

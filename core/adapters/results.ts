import type { CallResult, ContentPart } from '../call/result.ts';

/** A tool's answer as Chat Completions takes it; pictures and files follow in a user message, tools may send text only. */
export interface OpenAIToolMessage {
  readonly role: 'tool';
  readonly tool_call_id: string;
  readonly content: string;
}

export type OpenAIUserPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  | { readonly type: 'file'; readonly file: { readonly file_data: string; readonly filename: string } };

export type ResponsesOutputPart =
  | { readonly type: 'input_text'; readonly text: string }
  | { readonly type: 'input_image'; readonly image_url: string; readonly detail: 'auto' }
  | { readonly type: 'input_file'; readonly file_data: string; readonly filename: string };

export interface ResponsesToolOutput {
  readonly type: 'function_call_output';
  readonly call_id: string;
  readonly output: string | ResponsesOutputPart[];
}

export type AnthropicResultPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'image';
      readonly source: Base64Source<'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp'>;
    }
  | { readonly type: 'document'; readonly source: Base64Source<'application/pdf'> };

interface Base64Source<MediaType> {
  readonly type: 'base64';
  readonly media_type: MediaType;
  readonly data: string;
}

export interface AnthropicToolResult {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: AnthropicResultPart[];
  readonly is_error?: true;
}

export interface GeminiToolResponse {
  readonly functionResponse: {
    readonly id?: string;
    readonly name: string;
    readonly response: { [key: string]: unknown };
    readonly parts?: { readonly inlineData: { readonly mimeType: string; readonly data: string } }[];
  };
}

export function openAIResult(id: string, result: CallResult): OpenAIToolMessage {
  return { role: 'tool', tool_call_id: id, content: result.content };
}

/** The user message that shows what Chat's tool messages can't; undefined where there is nothing to show. */
export function openAIParts(
  id: string,
  result: CallResult,
): { role: 'user'; content: OpenAIUserPart[] } | undefined {
  const shown = partsOf(result).map(
    (part): OpenAIUserPart =>
      part.type === 'image'
        ? { type: 'image_url', image_url: { url: dataUrl(part) } }
        : { type: 'file', file: { file_data: dataUrl(part), filename: fileName(part) } },
  );
  if (shown.length === 0) return undefined;
  return { role: 'user', content: [{ type: 'text', text: `From the tool call ${id}:` }, ...shown] };
}

export function responsesResult(id: string, result: CallResult): ResponsesToolOutput {
  const parts = partsOf(result).map(
    (part): ResponsesOutputPart =>
      part.type === 'image'
        ? { type: 'input_image', image_url: dataUrl(part), detail: 'auto' }
        : { type: 'input_file', file_data: dataUrl(part), filename: fileName(part) },
  );
  const output =
    parts.length === 0 ? result.content : [{ type: 'input_text' as const, text: result.content }, ...parts];
  return { type: 'function_call_output', call_id: id, output };
}

const ANTHROPIC_IMAGES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

export function anthropicResult(id: string, result: CallResult): AnthropicToolResult {
  const content: AnthropicResultPart[] = [{ type: 'text', text: result.content }];
  for (const part of partsOf(result)) {
    const image = ANTHROPIC_IMAGES.find((type) => type === part.mimeType);
    if (image !== undefined)
      content.push({ type: 'image', source: { type: 'base64', media_type: image, data: part.data } });
    else if (part.mimeType === 'application/pdf') {
      content.push({
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: part.data },
      });
    } else content.push({ type: 'text', text: `(A part of type ${part.mimeType} can't be shown here.)` });
  }
  return { type: 'tool_result', tool_use_id: id, content, ...(result.ok ? {} : { is_error: true }) };
}

/** @param name - the name that the model called. */
export function geminiResult(id: string | undefined, name: string, result: CallResult): GeminiToolResponse {
  const parts = partsOf(result).map(({ mimeType, data }) => ({ inlineData: { mimeType, data } }));
  return {
    functionResponse: {
      ...(id === undefined ? {} : { id }),
      name,
      response: result.ok ? { output: result.content } : { error: result.content },
      ...(parts.length === 0 ? {} : { parts }),
    },
  };
}

function partsOf(result: CallResult): readonly ContentPart[] {
  return result.ok ? (result.parts ?? []) : [];
}

function dataUrl(part: ContentPart): string {
  return `data:${part.mimeType};base64,${part.data}`;
}

function fileName(part: ContentPart): string {
  return (part.type === 'file' ? part.name : undefined) ?? `file.${part.mimeType.split('/').at(-1) ?? 'bin'}`;
}

import type Anthropic from '@anthropic-ai/sdk';
import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import type { FunctionResponse, Tool as GeminiSdkTool } from '@google/genai';
import type { ListToolsResult } from '@modelcontextprotocol/client';
import type {
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from 'openai/resources/chat/completions/completions';
import type { ResponseInputItem, Tool as ResponsesSdkTool } from 'openai/resources/responses/responses';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { exportTools } from '../../core/adapters/export.ts';
import {
  anthropicResult,
  geminiResult,
  openAIParts,
  openAIResult,
  responsesResult,
} from '../../core/adapters/results.ts';
import { isObject } from '../../core/adapters/schema-node.ts';
import type { CallResult } from '../../core/call/result.ts';
import { createView } from '../../core/catalog/view.ts';
import { manifestOf } from './support.ts';

const parameters = {
  type: 'object',
  properties: {
    q: { type: 'string', minLength: 2, format: 'uri', pattern: '^h' },
    n: { type: 'integer', minimum: 1 },
    e: { enum: ['a', 'b'] },
    l: { type: 'array', items: { type: 'string' }, minItems: 3, uniqueItems: true },
  },
  required: ['q'],
};
const list = [manifestOf('t', parameters)];

describe("each SDK's own types", () => {
  it('take the exported tools as they are', () => {
    expectTypeOf(exportTools(list, 'openai').tools).toExtend<ChatCompletionTool[]>();
    expectTypeOf(exportTools(list, 'responses').tools).toExtend<ResponsesSdkTool[]>();
    expectTypeOf(exportTools(list, 'anthropic').tools).toExtend<Anthropic.Tool[]>();
    expectTypeOf(exportTools(list, 'mcp').tools).toExtend<ListToolsResult['tools']>();
    // Gemini's types are enums of strings; the wire form is what counts there.
    expectTypeOf(exportTools(list, 'gemini').tools[0]?.functionDeclarations[0]?.name).toExtend<
      string | undefined
    >();
    const gemini = exportTools(list, 'gemini').tools as unknown as GeminiSdkTool[]; // cast: see above
    expect(gemini[0]?.functionDeclarations?.[0]?.parameters).toMatchObject({
      type: 'OBJECT',
      properties: { q: { minLength: '2' }, l: { minItems: '3' } },
    });
  });

  it('take the answers of tools', () => {
    const result: CallResult = {
      ok: true,
      content: 'text',
      parts: [
        { type: 'image', data: 'QQ==', mimeType: 'image/png' },
        { type: 'file', data: 'QQ==', mimeType: 'application/pdf', name: 'a.pdf' },
        { type: 'file', data: 'QQ==', mimeType: 'audio/wav' },
      ],
      tool: { name: 't' },
      usage: { wallMs: 0, cpuMs: 0, heapBytes: 0, queuedMs: 0, hostCalls: 0 },
    };
    const chat: (ChatCompletionMessageParam | undefined)[] = [
      openAIResult('c', result),
      openAIParts('c', result),
    ];
    const responses: ResponseInputItem = responsesResult('c', result);
    const anthropic: Anthropic.ToolResultBlockParam = anthropicResult('c', result);
    const gemini: FunctionResponse = geminiResult('c', 't', result).functionResponse;
    expect(chat[1]?.content).toHaveLength(4);
    expect(responses).toMatchObject({
      output: [
        { type: 'input_text' },
        { type: 'input_image' },
        { filename: 'a.pdf' },
        { filename: 'file.wav' },
      ],
    });
    expect(anthropic).toMatchObject({
      content: [
        { text: 'text' },
        { type: 'image' },
        { type: 'document' },
        { type: 'text', text: expect.stringContaining('audio/wav') },
      ],
    });
    expect(gemini).toMatchObject({ response: { output: 'text' }, parts: [{}, {}, {}] });
  });

  it('mark a failure where they have a mark for it', () => {
    const failure = { ok: false, content: 'Error: no', tool: { name: 't' } } as CallResult; // cast: what the adapters read
    expect(anthropicResult('c', failure)).toMatchObject({ is_error: true });
    expect(geminiResult(undefined, 't', failure)).toEqual({
      functionResponse: { name: 't', response: { error: 'Error: no' } },
    });
    expect(openAIResult('c', failure).content).toBe('Error: no');
    expect(openAIParts('c', failure)).toBeUndefined();
  });

  it('take the narrowing of a turn', () => {
    expectTypeOf(createView([]).allowedTools('openai', {})).toExtend<
      NonNullable<Parameters<typeof takesChatChoice>[0]>
    >();
    expect(takesChatChoice(createView([]).allowedTools('openai', {}))).toBe('allowed_tools');
  });
});

function takesChatChoice(choice: {
  type: 'allowed_tools';
  allowed_tools: { mode: 'auto' | 'required'; tools: { [key: string]: unknown }[] };
}): string {
  return choice.type;
}

it("leaves nothing in a strict schema for Anthropic's own converter to move into the description", () => {
  const [tool] = exportTools(list, 'anthropic', { strict: true }).tools;
  expect(tool?.strict).toBe(true);
  const converted = transformJSONSchema(structuredClone(tool?.input_schema) as never); // cast: its own schema type is narrower
  const descriptions = (node: unknown): unknown =>
    isObject(node) ? [node.description, ...Object.values(node).map(descriptions)] : undefined;
  expect(JSON.stringify(descriptions(converted))).not.toContain('{');
});

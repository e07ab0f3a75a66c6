import { tool as langchainTool } from '@langchain/core/tools';
import { createTool as mastraTool } from '@mastra/core/tools';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { tool as agentsTool, RunContext } from '@openai/agents-core';
import { tool as aiTool, asSchema, generateText, stepCountIs } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { bindTools } from '../../core/adapters/bound-tools.ts';
import { toStandardSchema } from '../../core/adapters/standard-schema.ts';
import type { JsonSchema } from '../../core/plugin/manifest.ts';
import { recordingHost } from '../agent/recording-host.ts';
import { manifestOf } from './support.ts';

const parameters: JsonSchema = {
  type: 'object',
  properties: {
    city: { type: 'string', minLength: 2 },
    days: { type: 'integer', minimum: 1 },
    place: { $ref: '#/$defs/place' },
    unit: { enum: ['C', 'F'] },
  },
  required: ['city'],
  $defs: { place: { type: 'object', properties: { zip: { type: 'string' } } } },
};

describe('a Standard Schema of a tool', () => {
  const schema = toStandardSchema(parameters);
  const validate = schema['~standard'].validate;

  it('leaves a valid value alone', () => {
    const value = { city: 'Ulm', days: 2 };
    expect(validate(value)).toEqual({ value });
    expect((validate(value) as { value: unknown }).value).toBe(value);
  });

  it.each([
    [{}, [], /required property 'city'/],
    [{ city: 'U' }, ['city'], /fewer than 2/],
    [{ city: 'Ulm', unit: 'K' }, ['unit'], /"C","F"/],
    [{ city: 'Ulm', place: { zip: 5 } }, ['place', 'zip'], /string/],
    ['text', [], /object/],
  ])('says what is wrong with %j, and where', (value, path, message) => {
    expect(validate(value)).toMatchObject({ issues: [{ path, message: expect.stringMatching(message) }] });
  });

  it('takes the nulls of a strict schema for "left out"', () => {
    expect(validate({ city: 'Ulm', days: null, place: { zip: null }, unit: null })).toEqual({
      value: { city: 'Ulm', place: {} },
    });
    expect(validate({ city: null })).toHaveProperty('issues');
  });

  it('gives JSON Schema in both drafts, and a fresh copy each time', () => {
    const { input } = schema['~standard'].jsonSchema;
    expect(input({ target: 'draft-2020-12' })).toMatchObject({
      properties: { place: { $ref: '#/$defs/place' } },
      $defs: { place: {} },
    });
    expect(input({ target: 'draft-07' })).toMatchObject({
      properties: { place: { $ref: '#/definitions/place' } },
      definitions: { place: {} },
    });
    expect(input({ target: 'draft-07' }).properties).not.toBe(input({ target: 'draft-07' }).properties);
    expect(() => input({ target: 'openapi-3.0' })).toThrow(/no conversion/);
  });

  it('writes tuples and dependencies as draft-07 has them', () => {
    const { input } = toStandardSchema({
      type: 'object',
      properties: { p: { type: 'array', prefixItems: [{ type: 'string' }], items: false } },
      dependentRequired: { p: ['q'] },
    })['~standard'].jsonSchema;
    expect(input({ target: 'draft-07' })).toMatchObject({
      properties: { p: { items: [{ type: 'string' }], additionalItems: false } },
      dependencies: { p: ['q'] },
    });
  });

  it('checks a pattern in linear time', () => {
    const hostile = toStandardSchema({
      type: 'object',
      properties: { a: { type: 'string', pattern: '^(a+)+$' } },
    });
    expect(hostile['~standard'].validate({ a: 'aaa' })).toEqual({ value: { a: 'aaa' } });
    expect(hostile['~standard'].validate({ a: `${'a'.repeat(5_000)}!` })).toHaveProperty('issues');
  });

  it('takes a validator of its own', () => {
    const custom = toStandardSchema(parameters, { validate: () => [{ message: 'never' }] });
    expect(custom['~standard'].validate({ city: 'Ulm' })).toEqual({ issues: [{ message: 'never' }] });
  });
});

const host = recordingHost({ 'get.weather': { run: ({ city }, signal) => `${city} ${signal.aborted}` } });
const [bound] = bindTools(host, [manifestOf('get.weather', parameters)], { session: 's' });
if (bound === undefined) throw new Error('nothing was bound');

describe('it plugs in without glue', () => {
  it('into the Vercel AI SDK: the model is shown the schema, and its call runs', async () => {
    const shown = await asSchema(bound.inputSchema).jsonSchema;
    expect(shown).toMatchObject({
      type: 'object',
      required: ['city'],
      properties: { city: { type: 'string', minLength: 2 } },
    });
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
    const answers = [
      {
        content: [
          { type: 'tool-call' as const, toolCallId: 'c1', toolName: bound.name, input: '{"city":"Ulm"}' },
        ],
        finishReason: { unified: 'tool-calls' as const, raw: 'tool_calls' },
      },
      {
        content: [{ type: 'text' as const, text: 'fine' }],
        finishReason: { unified: 'stop' as const, raw: 'stop' },
      },
    ];
    const model = new MockLanguageModelV4({
      doGenerate: answers.map((answer) => ({ ...answer, usage, warnings: [] })),
    });
    const result = await generateText({
      model,
      tools: {
        [bound.name]: aiTool({
          description: bound.description,
          inputSchema: bound.inputSchema,
          execute: bound.execute,
        }),
      },
      prompt: 'weather?',
      stopWhen: stepCountIs(3),
    });
    expect(result.text).toBe('fine');
    expect(result.steps[0]?.toolResults).toMatchObject([{ input: { city: 'Ulm' }, output: 'Ulm false' }]);
    expect(host.calls.at(-1)).toMatchObject({ name: 'get.weather', session: 's' });
  });

  it('into the OpenAI Agents SDK, strict as it is by default', async () => {
    const agent = agentsTool({
      name: bound.name,
      description: bound.description,
      parameters: bound.parameters,
      execute: bound.execute,
    });
    expect(agent.parameters).toMatchObject({ type: 'object', additionalProperties: false });
    const answer = await agent.invoke(
      new RunContext(),
      '{"city":"Ulm","days":null,"place":null,"unit":null}',
    );
    expect(answer).toBe('Ulm false');
    expect(host.calls.at(-1)?.arguments).toEqual({ city: 'Ulm' });
  });

  it('into Mastra: arguments are validated, and the tool runs', async () => {
    const mastra = mastraTool({
      id: bound.id,
      description: bound.description,
      inputSchema: bound.inputSchema,
      execute: bound.execute,
    });
    expect(await mastra.execute?.({ city: 'Ulm' }, {} as never)).toBe('Ulm false'); // cast: nothing of the context is used
    const refused = await mastra.execute?.({ city: 5 } as never, {} as never); // cast: wrong on purpose
    expect(refused).toMatchObject({ error: true });
  });

  it('into the MCP SDK: listed with its schema, validated, called', async () => {
    const server = new McpServer({ name: 's', version: '1' });
    server.registerTool(
      bound.name,
      { description: bound.description, inputSchema: bound.inputSchema },
      async (input, context) => ({
        content: [{ type: 'text', text: await bound.execute(input, context) }],
      }),
    );
    const [left, right] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: 'c', version: '1' });
    await Promise.all([server.connect(left), client.connect(right)]);
    try {
      const { tools } = await client.listTools();
      expect(tools[0]).toMatchObject({
        name: bound.name,
        inputSchema: { type: 'object', required: ['city'] },
      });
      const good = await client.callTool({ name: bound.name, arguments: { city: 'Ulm' } });
      expect(good.content).toEqual([{ type: 'text', text: 'Ulm false' }]);
      const bad = await client.callTool({ name: bound.name, arguments: { city: 'U' } });
      expect(bad.isError).toBe(true);
    } finally {
      await client.close();
      await server.close();
    }
  });

  it('into LangChain, as plain JSON Schema', async () => {
    const langchain = langchainTool((input, runtime) => bound.execute(input, runtime), {
      name: bound.name,
      description: bound.description,
      schema: bound.jsonSchema,
    });
    expect(await langchain.invoke({ city: 'Ulm' })).toBe('Ulm false');
    await expect(langchain.invoke({ city: 5 })).rejects.toThrow();
  });

  it('hands the abort signal of each SDK on', async () => {
    const signal = AbortSignal.abort();
    for (const context of [{ abortSignal: signal }, { signal }, { mcpReq: { signal } }]) {
      expect(await bound.execute({ city: 'Ulm' }, {}, context)).toBe('Ulm true');
    }
  });

  it('never rejects, whatever its host does', async () => {
    const [broken] = bindTools({ call: () => Promise.reject(new Error('/secret')) }, [
      manifestOf('x', parameters),
    ]);
    expect(await broken?.execute({})).toBe('Error: The tool could not be called.');
  });
});

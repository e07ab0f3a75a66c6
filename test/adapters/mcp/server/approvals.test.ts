import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clientOf, connect, ERAS, type Era, serve, textOf, workspace, writeTool } from './fixture.ts';

const ERASE = `import { writeFile } from 'node:fs/promises';
export default async function ({ n }) {
  await writeFile('./erased', String(n));
  return 'erased ' + n;
}`;
const DESTRUCTIVE = { annotations: { destructive: true }, permissions: { write: ['./erased'] } };

type Answer = { readonly action: 'accept' | 'decline' | 'cancel'; readonly content?: Record<string, string> };

/** A client whose person answers like this, and what that person was asked. */
function asking(era: Era, answers: Answer): { readonly client: Client; readonly asked: string[] } {
  const client = clientOf(era, { capabilities: { elicitation: { form: {} } } });
  const asked: string[] = [];
  client.setRequestHandler('elicitation/create', ({ params }) => {
    asked.push(params.message);
    return answers;
  });
  return { client, asked };
}

const TRANSPORTS = ['stdio', 'http'] as const;

async function attach(
  client: Client,
  era: Era,
  transport: (typeof TRANSPORTS)[number],
  dir: string,
): Promise<Client> {
  if (transport === 'stdio') return connect(dir, era, { client });
  const { url } = await serve(dir);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => client.close());
  return client;
}

const erased = (dir: string): Promise<string | undefined> =>
  readFile(path.join(dir, 'erased'), 'utf8').catch(() => undefined);

describe.each(ERAS.flatMap((era) => TRANSPORTS.map((transport) => [era, transport] as const)))(
  'a destructive tool, called in the %s era over %s',
  (era, transport) => {
    test('runs once the person has approved, who sees the tool and its arguments', async () => {
      const dir = await workspace();
      await writeTool(dir, 'erase', ERASE, DESTRUCTIVE);
      const { client, asked } = asking(era, { action: 'accept', content: {} });
      await attach(client, era, transport, dir);
      const result = await client.callTool({ name: 'erase', arguments: { n: 7 } });
      expect(textOf(result)).toBe('erased 7');
      expect(asked).toHaveLength(1);
      expect(asked[0]).toContain('erase');
      expect(asked[0]).toContain('"n": 7');
      expect(await erased(dir)).toBe('7');
    });

    test.each(['decline', 'cancel'] as const)(
      'does not run when the answer is %s, and the model reads why',
      async (action) => {
        const dir = await workspace();
        await writeTool(dir, 'erase', ERASE, DESTRUCTIVE);
        const { client } = asking(era, { action });
        await attach(client, era, transport, dir);
        const result = await client.callTool({ name: 'erase', arguments: { n: 7 } });
        expect(result.isError).toBe(true);
        expect(textOf(result)).toMatch(/the user (declined|dismissed)/);
        expect(await erased(dir)).toBeUndefined();
      },
    );

    test('is refused in clear words where the client can ask nobody', async () => {
      const dir = await workspace();
      await writeTool(dir, 'erase', ERASE, DESTRUCTIVE);
      const client = await attach(clientOf(era), era, transport, dir);
      const result = await client.callTool({ name: 'erase', arguments: { n: 7 } });
      expect(result.isError).toBe(true);
      expect(textOf(result)).toContain('nobody can be asked here');
      expect(await erased(dir)).toBeUndefined();
    });

    test('is asked about too when another tool calls it', async () => {
      const dir = await workspace();
      await writeTool(dir, 'erase', ERASE, DESTRUCTIVE);
      const code =
        "export default async (_args, ctx) => 'via: ' + JSON.stringify(await ctx.tools.call('erase', { n: 8 }));";
      await writeTool(dir, 'outer', code, { permissions: { tools: ['erase'] } });
      const { client, asked } = asking(era, { action: 'accept', content: {} });
      await attach(client, era, transport, dir);
      expect(textOf(await client.callTool({ name: 'outer', arguments: {} }))).toContain('erased 8');
      expect(asked).toHaveLength(1);
    });
  },
);

describe('a question of revision 2026-07-28', () => {
  const META = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  };

  async function post(
    url: string,
    params: object,
  ): Promise<{ result?: Record<string, unknown>; error?: { code: number } }> {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'erase',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { ...params, _meta: META },
      }),
    });
    return (await response.json()) as Awaited<ReturnType<typeof post>>; // asserted on by the tests
  }

  const accept = { approval: { action: 'accept', content: {} } };
  const seven = { name: 'erase', arguments: { n: 7 } };

  async function ask(): Promise<{
    readonly dir: string;
    readonly url: string;
    readonly requestState: unknown;
  }> {
    const dir = await workspace();
    await writeTool(dir, 'erase', ERASE, DESTRUCTIVE);
    const { url } = await serve(dir);
    const { result } = await post(url, seven);
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { approval: { method: 'elicitation/create' } },
    });
    return { dir, url, requestState: result?.requestState };
  }

  test('approves that call and no other', async () => {
    const { dir, url, requestState } = await ask();
    const other = { name: 'erase', arguments: { n: 8 }, inputResponses: accept, requestState };
    expect((await post(url, other)).error?.code).toBe(-32_602);
    expect(await erased(dir)).toBeUndefined();
    const { result } = await post(url, { ...seven, inputResponses: accept, requestState });
    expect(textOf(result ?? {})).toBe('erased 7');
  });

  test('is answered once: its state is worth nothing afterwards', async () => {
    const { url, requestState } = await ask();
    const answer = { ...seven, inputResponses: accept, requestState };
    expect(textOf((await post(url, answer)).result ?? {})).toBe('erased 7');
    expect((await post(url, answer)).error?.code).toBe(-32_602);
  });

  test('is asked again where the answer is missing, and an answer without a state is none', async () => {
    const { dir, url, requestState } = await ask();
    const again = await post(url, { ...seven, requestState });
    expect(again.result).toMatchObject({ resultType: 'input_required' });
    expect(again.result?.requestState).not.toBe(requestState);
    const bold = await post(url, { ...seven, inputResponses: accept });
    expect(bold.result).toMatchObject({ resultType: 'input_required' });
    expect(await erased(dir)).toBeUndefined();
  });

  test('refuses a state that was made up', async () => {
    const { dir, url, requestState } = await ask();
    const forged = { ...seven, inputResponses: accept, requestState: `${requestState}x` };
    expect((await post(url, forged)).error?.code).toBe(-32_602);
    expect(await erased(dir)).toBeUndefined();
  });
});

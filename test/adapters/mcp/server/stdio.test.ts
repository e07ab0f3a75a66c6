import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { BIN, clientOf, connect, ERAS, textOf, until, workspace, writeTool } from './fixture.ts';

const INITIALIZE = {
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};
const lines = (...messages: readonly object[]): string =>
  messages.map((message) => `${JSON.stringify(message)}\n`).join('');

/** `glovebox mcp` with raw lines. */
function start(dir: string, args: readonly string[] = []) {
  const child = spawn(process.execPath, [BIN, 'mcp', ...args], { cwd: dir });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const done = once(child, 'close').then(([code, signal]) => ({ code, signal, stdout, stderr }));
  return {
    child,
    done,
    answers: () =>
      stdout
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
  };
}

describe.each(ERAS)('the official client over stdio, in the %s era', (era) => {
  test('lists the tools by name, with titles, annotations and schemas', async () => {
    const dir = await workspace();
    await writeTool(dir, 'zebra', 'export default () => 1;');
    await writeTool(dir, 'apple', 'export default () => ({ sum: 3 });', {
      title: 'An apple',
      annotations: { readOnly: true, idempotent: true, destructive: false, openWorld: false },
      parameters: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        definitions: { pair: { items: [{ type: 'number' }, { type: 'number' }], additionalItems: false } },
        properties: { pair: { $ref: '#/definitions/pair' } },
      },
      returns: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    });
    const client = await connect(dir, era);
    expect(client.getProtocolEra()).toBe(era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['apple', 'read_more', 'search_tools', 'zebra']);
    const [apple] = tools;
    expect(apple).toMatchObject({
      title: 'An apple',
      annotations: { readOnlyHint: true, idempotentHint: true, destructiveHint: false, openWorldHint: false },
      outputSchema: { type: 'object', required: ['sum'] },
    });
    expect(JSON.stringify(apple?.inputSchema)).not.toMatch(/\$schema|definitions|additionalItems/);
    expect(JSON.stringify(apple?.inputSchema)).toContain('prefixItems');
    const { content, structuredContent, isError } = await client.callTool({ name: 'apple', arguments: {} });
    expect({ content, structuredContent, isError }).toEqual({
      content: [{ type: 'text', text: '{\n  "sum": 3\n}' }],
      structuredContent: { sum: 3 },
      isError: undefined,
    });
  });

  test('gets isError and words for a call that fails, and an error of the protocol for a tool that is not there', async () => {
    const dir = await workspace('test_error_handling', 'test_simple_text');
    const client = await connect(dir, era);
    const failed = await client.callTool({ name: 'test_error_handling', arguments: {} });
    expect(failed.isError).toBe(true);
    expect(textOf(failed)).toContain('intentionally returns an error');
    const wrong = await client.callTool({ name: 'test_simple_text', arguments: { surplus: 1 } });
    expect(wrong.isError).toBeUndefined();
    await expect(client.callTool({ name: 'test_simple_txt', arguments: {} })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('test_simple_text'),
    });
  });

  test('hears of progress, in numbers that grow', async () => {
    const client = await connect(await workspace('test_tool_with_progress'), era);
    const steps: object[] = [];
    const onprogress = (step: object): void => void steps.push(step);
    await client.callTool({ name: 'test_tool_with_progress', arguments: {} }, { onprogress });
    expect(steps).toMatchObject([{ progress: 0 }, { progress: 50 }, { progress: 100, total: 100 }]);
  });

  test('cancels a call, and the plugin learns of it', async () => {
    const dir = await workspace();
    await writeTool(
      dir,
      'slow',
      `import { writeFile } from 'node:fs/promises';
export default async function (_args, ctx) {
  await writeFile('./started', '');
  await new Promise((resolve) => setTimeout(resolve, 20_000));
}`,
      { permissions: { write: ['./started'] }, limits: { timeoutMs: 25_000 } },
    );
    await writeTool(dir, 'next', "export default () => 'free again';", {});
    await writeFile(
      path.join(dir, 'registry.config.json'),
      JSON.stringify({ sandbox: { workers: 1, maxProcesses: 1 }, ceilings: { timeoutMs: 30_000 } }),
    );
    const client = await connect(dir, era);
    const stop = new AbortController();
    const call = client.callTool({ name: 'slow', arguments: {} }, { signal: stop.signal });
    await until(() => readFile(path.join(dir, 'started')).then(Boolean, () => false));
    stop.abort();
    await expect(call).rejects.toThrow();
    // The only process is free long before the first call would have been over.
    const started = performance.now();
    expect(textOf(await client.callTool({ name: 'next', arguments: {} }))).toBe('free again');
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  test('hears of a hot reload while its session is open, and calls the new code', async () => {
    const dir = await workspace('test_simple_text');
    let changes = 0;
    const onChanged = (): void => {
      changes += 1;
    };
    const client = await connect(dir, era, { listChanged: { tools: { onChanged, autoRefresh: false } } });
    await client.listTools();
    await until(async () => {
      // Watching begins a little after serving.
      await writeTool(dir, 'added', "export default () => 'I am new';");
      await new Promise((resolve) => setTimeout(resolve, 300));
      return changes > 0;
    });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('added');
    expect(textOf(await client.callTool({ name: 'added', arguments: {} }))).toBe('I am new');
    const before = changes;
    await writeFile(path.join(dir, 'plugins/added/index.js'), "export default () => 'I am newer';");
    await until(() => changes > before);
    expect(textOf(await client.callTool({ name: 'added', arguments: {} }))).toBe('I am newer');
    await rm(path.join(dir, 'plugins/added'), { recursive: true });
    await until(async () => !(await client.listTools()).tools.some(({ name }) => name === 'added'));
    await expect(client.callTool({ name: 'added', arguments: {} })).rejects.toMatchObject({ code: -32_602 });
  });

  test('sees and calls only what --allow and --deny leave, of all three kinds', async () => {
    const names = ['test_simple_text', 'test_image_content', 'static-text', 'template', 'test_simple_prompt'];
    const dir = await workspace(...names, 'test_prompt_with_arguments');
    const allowed = ['test_*', 'template'];
    const client = await connect(dir, era, {
      args: ['--allow', ...allowed, '--deny', '*image*', '*_with_arguments'],
    });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['test_simple_text']);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['test_simple_prompt']);
    expect((await client.listResources()).resources).toEqual([]);
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
    await expect(client.callTool({ name: 'test_image_content', arguments: {} })).rejects.toThrow();
    await expect(client.getPrompt({ name: 'test_prompt_with_arguments', arguments: {} })).rejects.toThrow();
    await expect(client.readResource({ uri: 'test://static-text' })).rejects.toMatchObject({ code: -32_602 });
    const argument = { name: 'arg1', value: '' };
    for (const ref of [
      { type: 'ref/prompt', name: 'test_prompt_with_arguments' },
      { type: 'ref/resource', uri: 'static-text' },
    ] as const)
      await expect(client.complete({ ref, argument })).rejects.toMatchObject({ code: -32_602 });
  });

  test('reads resources and templates, fills prompts and completes both', async () => {
    const dir = await workspace('static-binary', 'template', 'test_prompt_with_arguments');
    const client = await connect(dir, era);
    const { contents } = await client.readResource({ uri: 'test://template/7/data' });
    expect(contents).toMatchObject([{ uri: 'test://template/7/data', mimeType: 'application/json' }]);
    const binary = await client.readResource({ uri: 'test://static-binary' });
    expect(binary.contents[0]).toHaveProperty('blob');
    await expect(client.readResource({ uri: 'test://nothing' })).rejects.toMatchObject({
      data: { uri: 'test://nothing' },
    });
    const name = 'test_prompt_with_arguments';
    const { messages } = await client.getPrompt({ name, arguments: { arg1: 'a', arg2: 'b' } });
    expect(messages).toMatchObject([
      { role: 'user', content: { text: expect.stringContaining("arg1='a'") } },
    ]);
    await expect(client.getPrompt({ name, arguments: { arg1: 'a' } })).rejects.toMatchObject({
      code: -32_602,
    });
    const ref = { type: 'ref/prompt', name } as const;
    const { completion } = await client.complete({ ref, argument: { name: 'arg1', value: 'he' } });
    expect(completion.values).toEqual(['hello']);
  });

  test('hears of a resource that it subscribed to', async () => {
    const dir = await workspace('watched-resource');
    const client = clientOf(era);
    const updated: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      updated.push(params.uri);
    });
    await connect(dir, era, { client });
    const uri = 'test://watched-resource';
    if (era === 'legacy') await client.subscribeResource({ uri });
    else await client.listen({ resourceSubscriptions: [uri] });
    let count = 0;
    await until(async () => {
      count += 1;
      await writeFile(path.join(dir, 'plugins/watched-resource/watched.txt'), `edit ${count}`);
      await new Promise((resolve) => setTimeout(resolve, 300));
      return updated.length > 0;
    });
    expect(new Set(updated)).toEqual(new Set([uri]));
  });
});

describe('glovebox mcp', () => {
  test('answers what was asked before the input ended, and then ends with code 0', async () => {
    const dir = await workspace('test_tool_with_progress');
    const { child, done, answers } = start(dir);
    const call = { name: 'test_tool_with_progress', arguments: {} };
    child.stdin.end(
      lines(INITIALIZE, { jsonrpc: '2.0', method: 'notifications/initialized' }) +
        JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: call }), // no line end
    );
    expect(await done).toMatchObject({ code: 0, signal: null });
    expect(answers().find(({ id }) => id === 2)).toMatchObject({ result: { content: [{ text: 'done' }] } });
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'ends with code 0 at %s, with a call in flight',
    async (signal) => {
      const dir = await workspace();
      await writeTool(
        dir,
        'slow',
        'export default () => new Promise((resolve) => setTimeout(resolve, 4_000));',
      );
      const { child, done, answers } = start(dir);
      child.stdin.write(
        lines(INITIALIZE, {
          jsonrpc: '2.0',
          id: 2,
          method: 'tools/call',
          params: { name: 'slow', arguments: {} },
        }),
      );
      await until(() => answers().length > 0);
      child.kill(signal);
      expect(await done).toMatchObject({ code: 0, signal: null });
    },
  );

  test('keeps stdout for the protocol: what plugins print goes to stderr', async () => {
    const dir = await workspace();
    await writeTool(
      dir,
      'chatty',
      "console.log('loaded'); export default () => { console.log('on stage'); return 1; };",
    );
    const { child, done, answers } = start(dir);
    child.stdin.end(
      lines(INITIALIZE, {
        jsonrpc: '2.0',
        id: 2,
        method: 'tools/call',
        params: { name: 'chatty', arguments: {} },
      }),
    );
    const { stderr } = await done;
    expect(stderr).toContain('on stage');
    for (const message of answers()) expect(message.jsonrpc).toBe('2.0');
    expect(answers().map(({ method }) => method)).toContain('notifications/message');
  });

  test('tells a wrong config on stderr and ends with code 2', async () => {
    const dir = await workspace();
    await writeFile(path.join(dir, 'registry.config.json'), '{"plugin": []}');
    const { child, done } = start(dir);
    child.stdin.end();
    expect(await done).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('plugin') });
  });

  test('writes line separators of Unicode escaped, since some readers end a line at them', async () => {
    const dir = await workspace();
    await writeTool(dir, 'separators', "export default () => 'a\\u2028b\\u2029c';");
    const { child, done, answers } = start(dir);
    child.stdin.end(
      lines(INITIALIZE, { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'separators' } }),
    );
    const { stdout } = await done;
    expect(stdout).not.toMatch(/[\u2028\u2029]/);
    expect(textOf(answers().find(({ id }) => id === 2).result)).toBe('a\u2028b\u2029c');
  });
});

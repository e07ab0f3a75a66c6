import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openPlugin } from '../../core/testing/index.ts';
import { temporaryRoot, writePlugin } from '../host/temporary-plugins.ts';

const WEATHER = `export default async function ({ city }) {
  const answer = await fetch('https://api.example.com/weather?city=' + city + '&token=hidden');
  console.log('asked for', city);
  return (await answer.json()).temperature;
}
`;
const SCHEMA = {
  description: 'Tells the weather of a city. Use it when asked for the weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  permissions: { net: ['GET https://api.example.com/*'] },
};

afterEach(() => vi.unstubAllEnvs());

describe('openPlugin', () => {
  it('answers requests by pattern, and tells what was logged and used', async () => {
    await using root = await temporaryRoot();
    const dir = await writePlugin(root.dir, 'weather', WEATHER, SCHEMA);
    await using tool = await openPlugin(dir, {
      net: { 'GET https://api.example.com/weather?*': { json: { temperature: 21 } } },
    });
    const result = await tool.call({ city: 'Oslo' });
    expect(result).toMatchObject({ ok: true, value: 21 });
    expect(tool.logs).toEqual([{ level: 'info', text: 'asked for Oslo' }]);
    expect(tool.uses()).toEqual([
      { capability: 'net', target: 'GET https://api.example.com/weather', allowed: true, count: 1 },
    ]);
  });

  it('checks arguments as a real call does', async () => {
    await using root = await temporaryRoot();
    const dir = await writePlugin(root.dir, 'weather', WEATHER, SCHEMA);
    await using tool = await openPlugin(dir, { net: {} });
    expect(await tool.call({})).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
  });

  it('fails a test whose network was asked for something that nobody answers', async () => {
    await using root = await temporaryRoot();
    const dir = await writePlugin(root.dir, 'weather', WEATHER, SCHEMA);
    await using tool = await openPlugin(dir);
    await expect(tool.call({ city: 'Oslo' })).rejects.toThrow(
      /GET https:\/\/api\.example\.com\/weather\?city=Oslo\n.*--record/,
    );
  });

  it('takes a responder that throws for a connection that fails', async () => {
    await using root = await temporaryRoot();
    const dir = await writePlugin(root.dir, 'weather', WEATHER, SCHEMA);
    await using tool = await openPlugin(dir, {
      net: () => {
        throw new Error('down');
      },
    });
    expect(await tool.call({ city: 'Oslo' })).toMatchObject({ ok: false, error: { code: 'tool_error' } });
  });

  it('holds the plugin to its own permissions, with the grant that is missing', async () => {
    await using root = await temporaryRoot();
    const dir = await writePlugin(root.dir, 'weather', WEATHER, { ...SCHEMA, permissions: {} });
    await using tool = await openPlugin(dir, { net: { 'GET https://api.example.com/*': {} } });
    expect(await tool.call({ city: 'Oslo' })).toMatchObject({
      ok: false,
      error: { code: 'permission_denied' },
    });
    expect(tool.denials()).toMatchObject([
      { capability: 'net', requested: false, grant: expect.stringContaining('"weather": { "net"') },
    ]);
  });

  it('gives it files, variables, storage and other tools of its own', async () => {
    await using root = await temporaryRoot();
    const code = `import { readFile, writeFile } from 'node:fs/promises';
      export default async function (_, ctx) {
        const text = await readFile('./data/in.txt', 'utf8');
        await writeFile('./data/out.txt', text.toUpperCase());
        await ctx.storage.set('seen', text);
        const sum = await ctx.tools.call('math.add', { a: 1, b: 2 });
        return { text, zone: process.env.TZ ?? null, home: process.env.HOME ?? null, seen: await ctx.storage.get('seen'), sum: sum.value };
      }`;
    const dir = await writePlugin(root.dir, 'worker', code, {
      description: 'Works with everything. Use it in tests.',
      parameters: { type: 'object' },
      permissions: {
        read: ['./data/**'],
        write: ['./data/**'],
        env: ['TZ'],
        storage: '1KB',
        tools: ['math.*'],
      },
    });
    await using tool = await openPlugin(dir, {
      files: { 'data/in.txt': 'hello' },
      env: { TZ: 'UTC', HOME: '/root' },
      tools: { 'math.add': ({ a, b }) => Number(a) + Number(b) },
    });
    expect(await tool.call()).toMatchObject({
      ok: true,
      value: { text: 'hello', zone: 'UTC', home: null, seen: 'hello', sum: 3 },
    });
    expect(await tool.readFile('data/out.txt')).toBe('HELLO');
    await expect(tool.readFile('../../etc/passwd')).rejects.toThrow(/leads out/);
  });

  it('tells every problem of a plugin that can not be loaded', async () => {
    await using root = await temporaryRoot();
    const dir = await writePlugin(root.dir, 'broken', 'export default () =>\n  (;\n', SCHEMA);
    await expect(openPlugin(dir)).rejects.toThrow(/broken can't be loaded:\nindex\.js:2:/);
  });
});

describe('recording', () => {
  it('writes what servers answer without any secret, and replays it where there is no server', async () => {
    await using root = await temporaryRoot();
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(String(request.headers['x-key']));
      response.setHeader('set-cookie', 'session=1');
      response.end(JSON.stringify({ temperature: 5, echo: String(request.headers['x-key']) }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const dir = await writePlugin(root.dir, 'weather', WEATHER.replace('https://api.example.com', origin), {
      ...SCHEMA,
      permissions: {
        net: [`GET ${origin}/*`],
        secrets: { WEATHER_KEY: { header: 'x-key', value: `\${WEATHER_KEY}`, for: origin } },
      },
    });
    vi.stubEnv('GLOVEBOX_RECORD', '1');
    vi.stubEnv('WEATHER_KEY', 'very-secret-key');
    {
      await using tool = await openPlugin(dir);
      expect(await tool.call({ city: 'Oslo' })).toMatchObject({ ok: true, value: 5 });
    }
    await new Promise((resolve) => server.close(resolve));
    expect(asked).toEqual(['very-secret-key']);
    const [name = '', ...others] = await readdir(path.join(dir, 'fixtures/net'));
    expect(others).toEqual([]);
    const text = await readFile(path.join(dir, 'fixtures/net', name), 'utf8');
    expect(text).toContain('[redacted]');
    expect(text).not.toMatch(/very-secret-key|token|hidden|session=1/);

    vi.unstubAllEnvs();
    await using tool = await openPlugin(dir);
    expect(await tool.call({ city: 'Oslo' })).toMatchObject({ ok: true, value: 5 });
    await expect(tool.call({ city: 'Rome' })).rejects.toThrow(/city=Rome/);
  });

  it('refuses a fixture that is none instead of leaving it out', async () => {
    await using root = await temporaryRoot();
    const dir = await writePlugin(root.dir, 'weather', WEATHER, SCHEMA);
    await mkdir(path.join(dir, 'fixtures/net'), { recursive: true });
    await writeFile(path.join(dir, 'fixtures/net/one.json'), '{"request": {}}');
    await expect(openPlugin(dir)).rejects.toThrow(/one\.json is no recorded answer/);
  });
});

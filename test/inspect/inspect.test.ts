import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createHost } from '../../core/index.ts';
import { runCli } from '../cli/run-cli.ts';
import { answering, nextUpdate, temporaryRoot, writePlugin } from '../host/temporary-plugins.ts';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
}

/** As much of DevTools as a test needs. */
async function attach(url: string) {
  const socket = new WebSocket(url);
  const messages: Message[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (data) => {
    messages.push(JSON.parse(String(data)));
    for (const look of waiting) look();
  });
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  let lastId = 0;
  const next = (fits: (message: Message) => boolean) =>
    new Promise<Message>((resolve) => {
      const look = () => {
        const found = messages.find(fits);
        if (found === undefined) return;
        messages.splice(messages.indexOf(found), 1);
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  const send = (method: string, params: object = {}) => {
    lastId += 1;
    const id = lastId;
    socket.send(JSON.stringify({ id, method, params }));
    return next((message) => message.id === id);
  };
  return {
    send,
    event: (method: string) => next((message) => message.method === method),
    closed,
    close: () => socket.close(),
  };
}

const CODE = `export default async function ({ n }) {
  const secretNumber = n * 2;
  debugger;
  await new Promise((resolve) => setTimeout(resolve, 1));
  return secretNumber + 1;
}
`;

async function inspected(root: string, plugin: string, config: object = {}) {
  const address = Promise.withResolvers<string>();
  const refused: string[] = [];
  const host = await createHost({
    config: existsSync(path.join(root, 'registry.config.json'))
      ? path.join(root, 'registry.config.json')
      : { plugins: path.join(root, 'plugins'), ...config },
    watch: true,
    inspect: { plugin, onAddress: address.resolve, onRefused: (reason) => refused.push(reason) },
  });
  await host.ready;
  const ws = async () => `ws://${/ws=(\S+)$/.exec(await address.promise)?.[1]}`;
  return { host, ws, refused };
}

it('stops at a debugger statement, shows variables and the source as it was written, and goes on past every deadline', async () => {
  await using root = await temporaryRoot();
  await writePlugin(path.join(root.dir, 'plugins'), 'doubled', CODE);
  const { host, ws } = await inspected(root.dir, 'doubled', { limits: { timeoutMs: 200, cpuMs: 100 } });
  await using _host = host;
  const devtools = await attach(await ws());
  await devtools.send('Runtime.enable');
  await devtools.send('Debugger.enable');
  const answer = host.call({ name: 'doubled', arguments: { n: 21 } });
  const script = await devtools.event('Debugger.scriptParsed');
  expect(script).toBeDefined();
  const paused = await devtools.event('Debugger.paused');
  // @ts-expect-error the protocol's own shape
  const [{ callFrameId, functionName, location }] = paused.params.callFrames;
  expect(functionName).not.toBe('');
  const value = await devtools.send('Debugger.evaluateOnCallFrame', {
    callFrameId,
    expression: 'secretNumber',
  });
  expect(value.result).toMatchObject({ result: { type: 'number', value: 42 } });
  const source = await devtools.send('Debugger.getScriptSource', { scriptId: location.scriptId });
  const map =
    /sourceMappingURL=data:application\/json;base64,(\S+)/.exec(String(source.result?.scriptSource))?.[1] ??
    '';
  expect(JSON.parse(Buffer.from(map, 'base64').toString()).sourcesContent).toContain(CODE);
  // Longer than both limits: what counts them is off.
  await new Promise((resolve) => setTimeout(resolve, 400));
  await devtools.send('Debugger.resume');
  expect(await answer).toMatchObject({ ok: true, value: 43 });
  devtools.close();
  await devtools.closed;
  // Without an inspector a debugger statement stops nobody.
  expect(await host.call({ name: 'doubled', arguments: { n: 1 } })).toMatchObject({ ok: true, value: 3 });
});

it('keeps the wall: capabilities are as ever, and errors name the place', async () => {
  await using root = await temporaryRoot();
  const code = `export default async ({ n }) => {
  console.log('n is', n);
  if (n === 1) throw new Error('one');
  return (await fetch('https://example.com')).status;
};`;
  await writePlugin(path.join(root.dir, 'plugins'), 'tried', code);
  const { host } = await inspected(root.dir, 'tried');
  await using _host = host;
  const thrown = await host.call({ name: 'tried', arguments: { n: 1 } });
  expect(thrown).toMatchObject({
    ok: false,
    error: { code: 'tool_error', message: expect.stringContaining('index.js:3') },
  });
  const denied = await host.call({ name: 'tried', arguments: { n: 2 } });
  expect(denied).toMatchObject({ ok: false, error: { code: 'permission_denied' } });
});

it('lets nobody in without the key, by another host name, or beside another inspector', async () => {
  await using root = await temporaryRoot();
  await writePlugin(path.join(root.dir, 'plugins'), 'doubled', CODE);
  const { host, ws } = await inspected(root.dir, 'doubled');
  await using _host = host;
  const url = await ws();
  const { origin } = new URL(url.replace('ws:', 'http:'));
  await expect(attach(`${url.slice(0, -1)}x`)).rejects.toThrow(/403/);
  const rebound = new WebSocket(url, { headers: { host: 'evil.example' } });
  expect(await new Promise((resolve) => rebound.once('error', (error) => resolve(error.message)))).toMatch(
    /403/,
  );
  const list = await fetch(`${origin}/json/list`);
  expect(await list.json()).toMatchObject([{ title: 'glovebox: doubled', webSocketDebuggerUrl: url }]);
  const first = await attach(url);
  await expect(attach(url)).rejects.toThrow(/403/);
  first.close();
});

it('ends the session when the plugin is edited, and serves the new version', async () => {
  await using root = await temporaryRoot();
  const dir = await writePlugin(path.join(root.dir, 'plugins'), 'edited', answering('one'));
  const { host, ws } = await inspected(root.dir, 'edited');
  await using _host = host;
  const devtools = await attach(await ws());
  const updated = nextUpdate(host, 'edited');
  await writeFile(path.join(dir, 'index.js'), answering('two'));
  expect(await devtools.closed).toBe(1001);
  await updated;
  expect(await host.call({ name: 'edited', arguments: {} })).toMatchObject({ ok: true, value: 'two' });
  const again = await attach(await ws());
  expect((await again.send('Runtime.enable')).result).toEqual({});
  again.close();
});

it("runs a stranger's plugin behind the whole wall, and says that it is not inspected", async () => {
  await using root = await temporaryRoot();
  const dir = path.join(root.dir, 'plugins');
  await writePlugin(dir, 'stranger', answering('behind the wall'));
  await writeFile(
    path.join(root.dir, 'registry.config.json'),
    JSON.stringify({ plugins: [{ dir: './plugins', trust: 'granted' }] }),
  );
  const held = await inspected(root.dir, 'stranger');
  // The lock holds it back: an inspector is no way around it.
  expect(held.host.catalog.get('stranger')?.state).toBe('held');
  await held.host.close();
  expect(await runCli(['grant', 'stranger', '--yes'], { cwd: root.dir })).toMatchObject({ code: 0 });
  const { host, refused } = await inspected(root.dir, 'stranger');
  await using _host = host;
  expect(await host.call({ name: 'stranger', arguments: {} })).toMatchObject({
    ok: true,
    value: 'behind the wall',
  });
  expect(refused).toEqual([expect.stringContaining('weaker wall')]);
});

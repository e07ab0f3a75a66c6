import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { workplace } from './strangers.ts';

const SERVER = path.join(import.meta.dirname, '../adapters/mcp/client/fixture-server.ts');
const listing = (...descriptions: readonly string[]) => ({
  tools: descriptions.map((description, index) => ({
    ...{ name: `tool_${index}`, description, inputSchema: { type: 'object' } },
  })),
});

async function workplaceWithServer() {
  const script = 'script.json';
  const place = await workplace({ plugins: [], audit: false });
  const server = { command: process.execPath, args: [SERVER, place.at(script)], trust: 'granted' };
  const serves = (...descriptions: readonly string[]) => place.write({ [script]: listing(...descriptions) });
  await place.write({
    'registry.config.json': {
      plugins: [],
      audit: false,
      mcpServers: { notes: server, gone: { command: 'none' } },
    },
  });
  const states = async () => {
    const { stdout } = await place.glovebox(['list', '--format', 'json']);
    const all = JSON.parse(stdout) as { name: string; state: string }[];
    return Object.fromEntries(
      all.filter(({ name }) => name.startsWith('notes.')).map(({ name, state }) => [name, state]),
    );
  };
  return { ...place, serves, states };
}

describe('glovebox grant for an MCP server', { timeout: 120_000 }, () => {
  it('consents to what it lists, and shows later what has changed', async () => {
    await using place = await workplaceWithServer();
    await place.serves('Reads.', 'Writes.');
    expect(await place.states()).toEqual({ 'notes.tool_0': 'held', 'notes.tool_1': 'held' });
    const asked = await place.glovebox(['grant', 'notes']);
    expect(asked.code).toBe(2);
    expect(asked.stdout).toMatch(/notes\.tool_0 {2}Reads\./);
    expect(await place.glovebox(['grant', 'notes', '--yes'])).toMatchObject({ code: 0 });
    expect(await place.states()).toEqual({ 'notes.tool_0': 'ready', 'notes.tool_1': 'ready' });

    await place.serves('Reads.', 'Deletes.\u001b[2J');
    const changed = await place.glovebox(['grant', 'notes', '--yes']);
    expect(changed.stdout).toMatch(/- Writes\.\s+\+ Deletes\./);
    expect(changed.stdout).not.toContain('\u001b');
    expect((await place.glovebox(['grant', 'notes'])).stdout).toMatch(/nothing to change/);
  });

  it('may be about one of its tools', async () => {
    await using place = await workplaceWithServer();
    await place.serves('Reads.', 'Writes.');
    const { code, stdout } = await place.glovebox(['grant', 'notes.tool_1', '--yes', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, changed: true });
    expect((await place.states())['notes.tool_0']).toBe('held');
    expect((await place.states())['notes.tool_1']).toBe('ready');
  });

  it('has no grants, and fails where the server can not be reached', async () => {
    await using place = await workplaceWithServer();
    await place.serves('Reads.');
    expect(await place.glovebox(['grant', 'notes', '--yes', '--only', 'net'])).toMatchObject({ code: 2 });
    expect(await place.glovebox(['grant', 'gone', '--yes'])).toMatchObject({ code: 1 });
    expect(await place.glovebox(['grant', 'notes.nothing', '--yes'])).toMatchObject({ code: 1 });
  });
});

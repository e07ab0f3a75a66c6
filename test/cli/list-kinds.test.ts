import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPlace, type Place } from '../resources/place.ts';
import { runCli } from './run-cli.ts';

let place: Place;
beforeAll(async () => {
  place = await openPlace({
    'add/schema.json': { description: 'Adds. Use it.', parameters: { type: 'object' } },
    'add/index.js': 'export default () => 1;',
    'guide/resource.json': { uri: 'docs://guide', description: 'A guide. Long.', file: 'guide.md' },
    'guide/guide.md': '# Guide',
    'notes/resource.json': { uriTemplate: 'notes://{id}', description: 'Notes.', complete: { id: ['1'] } },
    'notes/index.js': 'export default () => 1;',
    'review/prompt.md': '---\narguments: [code]\n---\nReview {{code}}.',
    'broken/prompt.md': 'Hello\n{{who}}',
    'sneaky/prompt.md': '---\nname: "a\u001b[2Jb"\n---\nx',
  });
});
afterAll(() => place[Symbol.asyncDispose]());

const list = async (...args: string[]) => (await runCli(['list', ...args], { cwd: place.dir })).stdout;

describe('glovebox list, with more than tools', () => {
  it('says of each entry which kind it is, with the trouble in its own file', async () => {
    const stdout = await list();
    expect(stdout).toMatch(/^NAME +KIND +STATE +VERSION +DESCRIPTION$/m);
    expect(stdout).toMatch(/^add +tool +ready +[0-9a-f]{8} +Adds\.$/m);
    expect(stdout).toMatch(/^guide +resource +ready +[0-9a-f]{8} +A guide\.$/m);
    expect(stdout).toMatch(/^review +prompt +ready /m);
    expect(stdout).toContain('warning: prompt.md /description: is missing');
    expect(stdout).toMatch(/^broken +prompt +broken /m);
    expect(stdout).toContain('plugins/broken/prompt.md:2: {{who}} names no argument');
    expect(stdout).not.toContain('\u001b');
  });

  it('gives programs what each kind has', async () => {
    const entries: unknown = JSON.parse(await list('--format', 'json'));
    expect(entries).toContainEqual(
      expect.objectContaining({
        kind: 'resource',
        name: 'guide',
        uri: 'docs://guide',
        mimeType: 'text/markdown',
        size: 7,
      }),
    );
    expect(entries).toContainEqual(
      expect.objectContaining({ kind: 'resource', uriTemplate: 'notes://{id}', complete: { id: ['1'] } }),
    );
    expect(entries).toContainEqual(
      expect.objectContaining({ kind: 'prompt', arguments: [{ name: 'code', required: false, values: [] }] }),
    );
    expect(entries).toContainEqual(expect.objectContaining({ kind: 'tool', name: 'add' }));
  });

  it("keeps them out of a provider's tools", async () => {
    const tools: unknown = JSON.parse(await list('--format', 'responses'));
    expect(tools).not.toContainEqual(
      expect.objectContaining({ name: expect.stringMatching(/guide|review|notes/) }),
    );
    expect(tools).toContainEqual(expect.objectContaining({ name: 'add' }));
  });
});

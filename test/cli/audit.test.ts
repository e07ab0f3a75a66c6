import { rename } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '../../core/audit/index.ts';
import { startCli } from './run-cli.ts';
import { answers, PLAIN, workplace } from './strangers.ts';

const entry = (given: Partial<AuditEntry>): AuditEntry => ({
  ...{ time: '2026-03-01T12:00:00.000Z', tool: 'a.one', shape: {}, outcome: 'ok', contentChars: 3 },
  usage: { wallMs: 12, cpuMs: 1, heapBytes: 0, queuedMs: 0, hostCalls: 0 },
  ...given,
});
const lines = (...entries: readonly Partial<AuditEntry>[]) =>
  entries.map((each) => `${JSON.stringify(entry(each))}\n`).join('');
const OLD = lines(
  { id: '1', time: '2026-01-01T00:00:00.000Z' },
  { id: '2', tool: 'a.two', outcome: 'timeout' },
);
const NEW = lines(
  { id: '3', session: 's', tool: 'b.three', outcome: 'tool_error', message: 'no\u001b[2J luck' },
  {
    id: '4',
    outcome: 'permission_denied',
    uses: [
      { capability: 'net', target: 'GET https://ok.example.com/a', allowed: true, count: 2 },
      { capability: 'net', target: 'GET https://evil.example.com/b', allowed: false, count: 1 },
    ],
  },
);

type Place = Awaited<ReturnType<typeof workplace>>;
const withAudit = async () => {
  const place = await workplace({ plugins: ['./plugins', { dir: './theirs', trust: 'granted' }] });
  await place.write({ '.glovebox/audit.jsonl.1': OLD, '.glovebox/audit.jsonl': NEW });
  return place;
};

let place: Place;
beforeAll(async () => {
  place = await withAudit();
});
afterAll(() => place[Symbol.asyncDispose]());

const ids = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).id as string);

describe('glovebox audit', { timeout: 60_000 }, () => {
  it.each<[string[], string[]]>([
    [[], ['1', '2', '3', '4']],
    [
      ['--tool', 'a.*'],
      ['1', '2', '4'],
    ],
    [['--tool', '*.three'], ['3']],
    [
      ['--tool', 'a.one'],
      ['1', '4'],
    ],
    [['--outcome', 'ok'], ['1']],
    [
      ['--outcome', 'failed'],
      ['2', '3', '4'],
    ],
    [['--outcome', 'timeout'], ['2']],
    [['--session', 's'], ['3']],
    [
      ['--since', '2026-02-01'],
      ['2', '3', '4'],
    ],
    [['--until', '2026-02-01T00:00:00Z'], ['1']],
    [['--since', '1s'], []],
    [
      ['--limit', '2'],
      ['3', '4'],
    ],
    [['--limit', '1', '--tool', 'a.*', '--outcome', 'failed'], ['4']],
  ])('filters by %j, across rotated files, oldest first', async (args, expected) => {
    const { code, stdout } = await place.glovebox(['audit', '--json', ...args]);
    expect({ code, ids: ids(stdout) }).toEqual({ code: 0, ids: expected });
  });

  it('prints a table with what was refused and the grant that would allow it', async () => {
    const { code, stdout } = await place.glovebox(['audit']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^TIME +TOOL +OUTCOME +MS +USED\n/);
    expect(stdout).toMatch(
      /a\.one +permission_denied +12 +net GET https:\/\/ok\.example\.com\/a \(2 times\)/,
    );
    expect(stdout).toMatch(/refused: net GET https:\/\/evil\.example\.com\/b/);
    expect(stdout).toContain('"a.one": { "net": ["GET https://evil.example.com/b"] }');
    expect(stdout).not.toContain('\u001b');
  });

  it('folds refusals that say the same into one line and a count, and leaves the JSON whole', async () => {
    await using other = await withAudit();
    const busy = (place: number, tool = 'a.one'): Partial<AuditEntry> => ({
      ...{ tool, outcome: 'busy', effects: 'did_not_run', time: `2026-03-01T12:00:0${place}.000Z` },
      message: `"${tool}" is busy: ${place} calls wait.`,
    });
    const failed = { outcome: 'tool_error', effects: 'failed', message: 'no luck' };
    const entries = [busy(1), busy(2), busy(3), busy(4, 'b'), busy(5, 'b'), failed, failed, busy(6)];
    await other.write({ '.glovebox/audit.jsonl.1': '', '.glovebox/audit.jsonl': lines(...entries) });
    const { stdout } = await other.glovebox(['audit'], { env: { TZ: 'UTC' } });
    const rows = stdout.split('\n').map((line) => line.trim().replace(/ {2,}/g, '|'));
    expect(rows.slice(1)).toEqual([
      '2026-03-01 12:00:01|a.one|busy|12',
      '"a.one" is busy: 1 calls wait.',
      '2 more like it, the last at 2026-03-01 12:00:03',
      '2026-03-01 12:00:04|b|busy|12',
      '"b" is busy: 4 calls wait.',
      '1 more like it, the last at 2026-03-01 12:00:05',
      ...['2026-03-01 12:00:00|a.one|tool_error|12', 'no luck'],
      ...['2026-03-01 12:00:00|a.one|tool_error|12', 'no luck'],
      ...['2026-03-01 12:00:06|a.one|busy|12', '"a.one" is busy: 6 calls wait.', ''],
    ]);
    const json = await other.glovebox(['audit', '--json']);
    expect(json.stdout.trimEnd().split('\n')).toHaveLength(entries.length);
  });

  it('derives the least grants from what was used, as the line for the config', async () => {
    const { code, stdout, stderr } = await place.glovebox(['audit', '--suggest', 'a.one']);
    expect(code).toBe(0);
    expect(JSON.parse(`{${stdout}}`)).toEqual({ 'a.one': { net: ['GET https://ok.example.com/a'] } });
    expect(stderr).toMatch(/Refused[\s\S]*evil\.example\.com/);
    const json = await place.glovebox(['audit', '--suggest', 'a.one', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ calls: 2, refused: [{ capability: 'net' }] });
    expect(await place.glovebox(['audit', '--suggest', 'nobody'])).toMatchObject({ code: 1, stdout: '' });
  });

  it('follows what is written later, through a rotation, until Ctrl-C', async () => {
    await using other = await withAudit();
    const running = startCli(['audit', '--follow', '--json', '--limit', '1', '--tool', 'a.*'], {
      cwd: other.dir,
    });
    await running.shows('"id":"4"');
    await rename(other.at('.glovebox/audit.jsonl'), other.at('.glovebox/audit.jsonl.2'));
    await rename(other.at('.glovebox/audit.jsonl.1'), other.at('.glovebox/audit.jsonl.3'));
    await rename(other.at('.glovebox/audit.jsonl.2'), other.at('.glovebox/audit.jsonl.1'));
    await rename(other.at('.glovebox/audit.jsonl.3'), other.at('.glovebox/audit.jsonl.2'));
    await other.write({ '.glovebox/audit.jsonl': lines({ id: '5', tool: 'b' }, { id: '6' }) });
    await running.shows('"id":"6"');
    running.process.kill('SIGINT');
    const { code, stdout } = await running.done;
    expect({ code, ids: ids(stdout) }).toEqual({ code: 0, ids: ['4', '6'] });
  });

  it('reads what a call wrote', async () => {
    await using other = await workplace({ plugins: ['./plugins'], audit: { path: './logs/calls.jsonl' } });
    await other.write({ 'plugins/own/schema.json': PLAIN, 'plugins/own/index.js': answers('own') });
    await other.glovebox(['call', 'own', '--session', 'mine']);
    const { stdout } = await other.glovebox(['audit', '--json', '--session', 'mine']);
    expect(JSON.parse(stdout)).toMatchObject({ tool: 'own', outcome: 'ok', session: 'mine' });
  });

  it.each<[unknown, RegExp]>([
    [{ plugins: [] }, /there is no audit yet at \.glovebox\/audit\.jsonl/],
    [{ plugins: [], audit: false }, /the config says "audit": false/],
  ])('says why nothing is recorded with %j', async (config, reason) => {
    await using other = await workplace(config);
    const { code, stderr } = await other.glovebox(['audit']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(reason) });
  });

  it.each<[string[], RegExp]>([
    [['--since', 'yesterday'], /--since must be a time like/],
    [['--since', '2026-13-45'], /--since must be a time like/],
    [['--since', '1h', '--until', '2h'], /before/],
    [['--limit', '0'], /above 0/],
    [['--tol', 'x'], /unknown option/],
  ])('exits with 2 for %j', async (args, reason) => {
    const { code, stdout, stderr } = await place.glovebox(['audit', ...args]);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(reason) });
  });
});

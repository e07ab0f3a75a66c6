import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isMet, type Row } from './finding.ts';
import { Race } from './race.ts';
import { writeTables } from './report.ts';
import { median, Samples, SPREAD_COLUMNS, slope } from './statistics.ts';

const run = promisify(execFile);
const FLAGS = ['--no-node-snapshot', '--expose-gc', '--no-warnings'];
const bench = (...args: string[]) =>
  run(process.execPath, [...FLAGS, path.join(import.meta.dirname, 'run.ts'), ...args]);

describe('the benchmark', () => {
  it('runs the instruments that are named and writes a table and JSON', async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'glovebox-bench-test-'));
    try {
      const file = path.join(dir, 'findings.json');
      const { stdout } = await bench('recovery', '--quick', '--json', file);
      expect(stdout).toContain('| kill to answer |');
      expect(stdout.split('\n')[0]).toMatch(/^\d{4}-\d\d-\d\d, .* cores, .*, Node \d+\..*not for the record/);
      const report: unknown = JSON.parse(await readFile(file, 'utf8'));
      expect(report).toMatchObject({
        quick: true,
        machine: { node: process.versions.node },
        findings: [{ instrument: 'recovery', ratios: [{ met: expect.any(Boolean) }] }],
      });
    } finally {
      await rm(dir, { recursive: true });
    }
  });

  it.each([
    [['no-such-thing'], 'no-such-thing'],
    [['idle', '--quick', '--save'], '--save'],
  ])('refuses %j with exit code 2', async (args, named) => {
    await expect(bench(...args)).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining(named) });
  });
});

const tableOf = (rows: readonly Row[]) =>
  writeTables([{ instrument: 'x', title: 'X', columns: SPREAD_COLUMNS, rows, ratios: [] }])
    .split('\n')
    .filter((line) => line.startsWith('|'));

describe('what the benchmark makes of its samples', () => {
  it('takes a ratio as the median of the rounds, so that one disturbed round changes nothing', () => {
    const lane = (name: string, medians: number[]) => ({ name, samples: new Samples(), medians });
    const race = new Race([lane('ours', [2, 2, 90, 2, 2]), lane('floor', [1, 1, 1, 1, 1])]);
    expect(race.ratio('ours', 'floor', { most: 2 })).toEqual({
      name: 'ours / floor',
      value: 2,
      goal: { most: 2 },
    });
  });

  it('finds percentiles, medians and slopes', () => {
    const samples = new Samples();
    for (let ms = 1; ms <= 100; ms += 1) samples.add(ms);
    expect(samples.percentile(50)).toBeCloseTo(50, 0);
    expect(samples.percentile(99)).toBeCloseTo(99, 0);
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(slope([0, 1, 2, 3].map((x) => [x, 2 * x + 1] as const))).toEqual({ perX: 2, error: 0 });
  });

  it('calls the largest of few samples that, and no 99th percentile', () => {
    const few = new Samples();
    for (const ms of [1, 2, 30]) few.add(ms);
    const [head = '', , row = ''] = tableOf([{ name: 'few', values: few.spread() }]);
    expect(head).toMatch(/^\| +\| p50 \(ms\) \| max \(ms\) \|$/);
    expect(row).toMatch(/^\| few \| +2\.00 \| +30\.0 \|$/);
    const many = new Samples();
    for (let ms = 1; ms <= 100; ms += 1) many.add(ms);
    const rows = [few, many].map((samples, index) => ({ name: `row ${index}`, values: samples.spread() }));
    expect(tableOf(rows)[0]).toContain('| p50 (ms) | p99 (ms) | max (ms) |');
    expect(tableOf(rows)[3]).toMatch(/\| +99\.\d \| +- \|$/);
  });

  it('says whether a goal was met', () => {
    const ratio = { name: 'a', value: 1.6 };
    expect(isMet({ ...ratio, goal: { most: 1.5 } })).toBe(false);
    expect(isMet({ ...ratio, goal: { least: 1.5 } })).toBe(true);
    expect(isMet(ratio)).toBeUndefined();
    const finding = { instrument: 'x', title: 'X', columns: [], rows: [] };
    expect(writeTables([{ ...finding, ratios: [{ ...ratio, goal: { most: 1.5 } }] }])).toContain(
      '<= 1.5 (missed)',
    );
  });
});

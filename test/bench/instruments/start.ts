import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Effort, Finding, Instrument, Ratio, Row } from '../finding.ts';
import { child } from '../sides/other-process.ts';
import { median } from '../statistics.ts';
import { Workshop } from '../workshop.ts';

const MANY = 10_000;

export const start: Instrument = { name: 'start', title: 'Start, and the first call', run };

interface Start {
  readonly count: number;
  readonly listedMs: number;
  readonly readyMs: number;
  readonly rssMb: number;
  readonly firstCallMs: number;
  readonly lookupNs: number;
}

async function run({ quick, tell }: Effort): Promise<readonly Finding[]> {
  const sizes = quick ? [1, 100] : [1, 10, 100, 1_000, MANY];
  const rows: Row[] = [];
  for (const size of sizes) {
    tell(`${size} plugins`);
    const times = quick || size > 1_000 ? 1 : 5;
    const cold: Start[] = [];
    const cached: Start[] = [];
    for (let index = 0; index < times; index += 1) {
      // The first start finds nothing that an earlier one has written: no types, no cache.
      await using workshop = await openWorkshop(size);
      cold.push(await startOnce(workshop, size));
      cached.push(await startOnce(workshop, size));
    }
    rows.push(rowOf(`${size} plugins, cold`, cold), rowOf(`${size} plugins, cached`, cached));
  }
  return [
    {
      instrument: 'start',
      title: start.title,
      columns: [
        { key: 'listed', unit: 'ms' },
        { key: 'ready', unit: 'ms' },
        { key: 'first call', unit: 'ms' },
        { key: 'memory', unit: 'MB' },
        { key: 'lookup', unit: 'ns' },
      ],
      rows,
      ratios: quick ? [] : ratiosOf(rows),
    },
  ];
}

function rowOf(name: string, starts: readonly Start[]): Row {
  const middle = (key: keyof Start): number => median(starts.map((one) => one[key]));
  return {
    name,
    values: {
      listed: middle('listedMs'),
      ready: middle('readyMs'),
      'first call': middle('firstCallMs'),
      memory: middle('rssMb'),
      lookup: middle('lookupNs'),
    },
  };
}

function ratiosOf(rows: readonly Row[]): Ratio[] {
  const value = (name: string, key: string): number =>
    rows.find((row) => row.name === name)?.values[key] ?? Number.NaN;
  const cold = `${MANY} plugins, cold`;
  const cached = `${MANY} plugins, cached`;
  return [
    { name: `${cold}: listed`, value: value(cold, 'listed'), unit: 'ms', goal: { most: 2_000 } },
    { name: `${cached}: listed`, value: value(cached, 'listed'), unit: 'ms', goal: { most: 500 } },
    { name: `${cold}: memory`, value: value(cold, 'memory'), unit: 'MB', goal: { most: 250 } },
    {
      name: `a lookup among ${MANY} / among 10`,
      value: value(cached, 'lookup') / value('10 plugins, cached', 'lookup'),
      goal: { most: 2 },
    },
  ];
}

async function openWorkshop(size: number): Promise<Workshop> {
  const workshop = await Workshop.open([], { audit: true, sandbox: { workers: 1 } });
  for (let index = 0; index < size; index += 1)
    await workshop.write({ name: `tool_${index}`, code: `export default ({ n }) => n + ${index};\n` });
  return workshop;
}

async function startOnce(workshop: Workshop, size: number): Promise<Start> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', '--no-warnings', child('start.mjs'), workshop.configFile, 'tool_0', '{"n":1}'],
    { maxBuffer: 1_000_000 },
  );
  const found = JSON.parse(stdout) as Start; // what start.mjs prints
  // The built-in tools are listed too.
  if (found.count < size) throw new Error(`${found.count} of ${size} plugins were listed`);
  return found;
}

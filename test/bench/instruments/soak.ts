import type { Host } from 'glovebox';
import type { Effort, Finding, Instrument, Ratio, Row } from '../finding.ts';
import { median, slope } from '../statistics.ts';
import { ADD_ONE, answerOf, NUMBER_SCHEMA, Workshop } from '../workshop.ts';

const CALLERS = 8;
const SAMPLES = 100;
/** Where the first tenth went: caches fill, heaps find their size. */
const SETTLED = 0.1;

export const soak: Instrument = { name: 'soak', title: 'Memory over many calls', run };

interface Sample {
  readonly calls: number;
  readonly heapMb: number;
  readonly hostMb: number;
  readonly workersMb: number;
}

async function run({ quick, tell }: Effort): Promise<readonly Finding[]> {
  const calls = quick ? 20_000 : 200_000;
  await using workshop = await Workshop.open(
    [
      { name: 'add_one', code: ADD_ONE },
      { name: 'add_one_warm', code: ADD_ONE, schema: { ...NUMBER_SCHEMA, state: 'plugin' } },
    ],
    { audit: true },
  );
  await using host = await workshop.host();
  const samples: Sample[] = [];
  for (let index = 0; index < SAMPLES; index += 1) {
    await callMany(host, calls / SAMPLES);
    samples.push(look(host, ((index + 1) * calls) / SAMPLES));
    if (index % 10 === 9) tell(`${samples.at(-1)?.calls} calls`);
  }
  const settled = samples.slice(SAMPLES * SETTLED);
  const parts = [
    ['heap of the host, after a collection', 'heapMb'],
    ['memory of the host', 'hostMb'],
    ['memory of the workers', 'workersMb'],
  ] as const;
  return [
    {
      instrument: 'soak',
      title: `${soak.title}: ${calls}`,
      columns: [
        { key: 'begin', unit: 'MB' },
        { key: 'end', unit: 'MB' },
        { key: 'per 100,000 calls', unit: 'MB' },
        { key: '± (standard error)', unit: 'MB' },
      ],
      rows: parts.map(([name, key]) => rowOf(name, settled, key)),
      ratios: parts.map(([name, key]) => growthOf(name, settled, key)),
    },
  ];
}

function rowOf(name: string, samples: readonly Sample[], key: Exclude<keyof Sample, 'calls'>): Row {
  const { perX, error } = slope(samples.map((sample) => [sample.calls / 100_000, sample[key]]));
  const [begin, end] = ends(samples, key);
  return { name, values: { begin, end, 'per 100,000 calls': perX, '± (standard error)': error } };
}

function growthOf(name: string, samples: readonly Sample[], key: Exclude<keyof Sample, 'calls'>): Ratio {
  const [begin, end] = ends(samples, key);
  return { name: `${name}: last fifth / first`, value: end / begin, goal: { most: 1.1 } };
}

function ends(samples: readonly Sample[], key: Exclude<keyof Sample, 'calls'>): [begin: number, end: number] {
  const fifth = Math.floor(samples.length / 5);
  const middle = (part: readonly Sample[]): number => median(part.map((sample) => sample[key]));
  return [middle(samples.slice(0, fifth)), middle(samples.slice(-fifth))];
}

async function callMany(host: Host, calls: number): Promise<void> {
  let left = calls;
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await answerOf(host, left % 2 === 0 ? 'add_one' : 'add_one_warm', { n: left });
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

function look(host: Host, calls: number): Sample {
  global.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const workers = host.workers().reduce((sum, { rssBytes }) => sum + rssBytes, 0);
  return { calls, heapMb: heapUsed / 1_048_576, hostMb: rss / 1_048_576, workersMb: workers / 1_048_576 };
}

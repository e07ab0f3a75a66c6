import type { Effort, Finding, Instrument } from '../finding.ts';
import { expectAnswer, RACE_COLUMNS, race, type Side } from '../race.ts';
import { openForked } from '../sides/other-process.ts';
import { answerOf, Workshop } from '../workshop.ts';

const READS = 1_000;
const FLOOR = `${READS} fork round trips`;
const ONE_BY_ONE = `${READS} storage reads, one by one`;
const TOGETHER = `${READS} storage reads at once`;

const READER = {
  name: 'read_storage',
  code: `export default async ({ together }, ctx) => {
  const reads = ${READS};
  await ctx.storage.set('key', 1);
  let sum = 0;
  if (together) {
    const all = await Promise.all(Array.from({ length: reads }, () => ctx.storage.get('key')));
    for (const value of all) sum += value;
  } else for (let index = 0; index < reads; index += 1) sum += await ctx.storage.get('key');
  return sum;
};
`,
  schema: {
    description: 'Reads its storage again and again. Use it in benchmarks. Example: {"together": true}.',
    parameters: { type: 'object', properties: { together: { type: 'boolean' } }, required: ['together'] },
    annotations: { readOnly: true },
    permissions: { storage: '1MB' },
    state: 'plugin',
  },
};

export const hostCalls: Instrument = {
  name: 'host-calls',
  title: `A plugin that asks the host ${READS} times`,
  run,
};

async function run({ quick }: Effort): Promise<readonly Finding[]> {
  await using workshop = await Workshop.open([READER], {
    audit: true,
    limits: { timeoutMs: 60_000, cpuMs: 20_000, hostCalls: READS + 1 },
    sandbox: { workers: 1 },
  });
  await using host = await workshop.host();
  await using forked = await openForked('', 'echo');
  const reading = (name: string, together: boolean): Side => ({
    name,
    async call() {
      expectAnswer(name, await answerOf(host, 'read_storage', { together }), String(READS));
    },
    async [Symbol.asyncDispose]() {},
  });
  const floor: Side = {
    name: FLOOR,
    async call() {
      for (let index = 0; index < READS; index += 1) await forked.ask(index);
    },
    async [Symbol.asyncDispose]() {},
  };
  const found = await race(
    [floor, reading(ONE_BY_ONE, false), reading(TOGETHER, true)],
    quick ? { rounds: 3, calls: 1, warmUp: 1 } : { rounds: 20, calls: 3, warmUp: 3 },
  );
  return [
    {
      instrument: 'host-calls',
      title: hostCalls.title,
      columns: RACE_COLUMNS,
      rows: found.rows(FLOOR),
      ratios: [found.ratio(ONE_BY_ONE, FLOOR), found.ratio(TOGETHER, FLOOR)],
    },
  ];
}

import { setTimeout as pause } from 'node:timers/promises';
import type { Host } from 'glovebox';
import type { Effort, Finding, Instrument } from '../finding.ts';
import { Samples, SPREAD_COLUMNS } from '../statistics.ts';
import { ADD_ONE, answerOf, Workshop } from '../workshop.ts';

/** In which a replacement for the spare that has stepped in can start. */
const REST_MS = 1_000;

export const recovery: Instrument = {
  name: 'recovery',
  title: 'A worker killed, and the next good answer',
  run,
};

async function run({ quick }: Effort): Promise<readonly Finding[]> {
  await using workshop = await Workshop.open([{ name: 'add_one', code: ADD_ONE }], {
    audit: true,
    sandbox: { workers: 1 },
  });
  await using host = await workshop.host();
  const samples = new Samples();
  for (let kill = 0; kill < (quick ? 5 : 60); kill += 1) {
    await answerOf(host, 'add_one', { n: kill });
    await pause(REST_MS);
    samples.add(await killAndCall(host, kill));
  }
  const spread = samples.spread();
  return [
    {
      instrument: 'recovery',
      title: recovery.title,
      columns: [...SPREAD_COLUMNS, { key: 'kills', unit: '' }],
      rows: [{ name: 'kill to answer', values: { ...spread, kills: samples.count } }],
      ratios: [{ name: 'recovery, p50', value: spread.p50, unit: 'ms', goal: { most: 20 } }],
    },
  ];
}

/** The serving worker comes first in the list, the spare last. */
async function killAndCall(host: Host, n: number): Promise<number> {
  const [serving] = host.workers();
  if (serving === undefined) throw new Error('no worker is there');
  const began = performance.now();
  process.kill(serving.pid, 'SIGKILL');
  await answerOf(host, 'add_one', { n });
  return performance.now() - began;
}

import { setTimeout as pause } from 'node:timers/promises';
import type { Host } from 'glovebox';
import type { Effort, Finding, Instrument } from '../finding.ts';
import { Samples } from '../statistics.ts';
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
  const [p50, p99] = [samples.percentile(50), samples.percentile(99)];
  return [
    {
      instrument: 'recovery',
      title: recovery.title,
      columns: [
        { key: 'p50', unit: 'ms' },
        { key: 'p99', unit: 'ms' },
        { key: 'kills', unit: '' },
      ],
      rows: [{ name: 'kill to answer', values: { p50, p99, kills: samples.count } }],
      ratios: [{ name: 'recovery, p50', value: p50, unit: 'ms', goal: { most: 20 } }],
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

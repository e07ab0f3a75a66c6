import { setTimeout as pause } from 'node:timers/promises';
import type { ConfigInput } from 'glovebox';
import type { Effort, Finding, Instrument } from '../finding.ts';
import { Samples, SPREAD_COLUMNS } from '../statistics.ts';
import { answerOf, Workshop } from '../workshop.ts';

/** First calls don't follow each other; a model thinks in between. */
const REST_MS = 20;

export const firstCall: Instrument = {
  name: 'first-call',
  title: 'The first call of a plugin in a running host, and the second',
  run,
};

async function run({ quick }: Effort): Promise<readonly Finding[]> {
  const loaded = await callEach(quick ? 20 : 150, {});
  // What is only listed is read and bundled by its first call.
  const listed = await callEach(quick ? 20 : 150, { deferAbove: 1 });
  return [
    {
      instrument: 'first-call',
      title: firstCall.title,
      columns: SPREAD_COLUMNS,
      rows: [
        { name: 'first call, loaded at the start', values: loaded.first.spread() },
        { name: 'first call, only listed before', values: listed.first.spread() },
        { name: 'second call', values: loaded.second.spread() },
      ],
      ratios: [],
    },
  ];
}

async function callEach(count: number, config: ConfigInput): Promise<{ first: Samples; second: Samples }> {
  const tools = Array.from({ length: count }, (_, index) => ({
    name: `tool_${index}`,
    code: `export default ({ n }) => n + ${index};\n`,
  }));
  await using workshop = await Workshop.open(tools, { audit: true, sandbox: { workers: 1 }, ...config });
  await using host = await workshop.host();
  const first = new Samples();
  const second = new Samples();
  for (const { name } of tools) {
    await pause(REST_MS);
    for (const samples of [first, second]) {
      const began = performance.now();
      await answerOf(host, name, { n: 1 });
      samples.add(performance.now() - began);
    }
  }
  return { first, second };
}

import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Effort, Finding, Instrument, Row } from '../finding.ts';
import { Samples, SPREAD_COLUMNS } from '../statistics.ts';
import { answerOf, Workshop } from '../workshop.ts';

const SIZES = [10, 1_000];
const GIVE_UP_MS = 30_000;

export const reload: Instrument = { name: 'reload', title: 'A file saved, and its new code answers', run };

async function run({ quick, tell }: Effort): Promise<readonly Finding[]> {
  const rows: Row[] = [];
  const medians: number[] = [];
  for (const size of quick ? [10, 50] : SIZES) {
    tell(`${size} plugins`);
    const samples = await saveAgainAndAgain(size, quick ? 5 : 100);
    const spread = samples.spread();
    medians.push(spread.p50);
    rows.push({
      name: `${size} plugins`,
      values: { ...spread, saves: samples.count },
    });
  }
  const [few = Number.NaN, many = Number.NaN] = medians;
  return [
    {
      instrument: 'reload',
      title: reload.title,
      columns: [...SPREAD_COLUMNS, { key: 'saves', unit: '' }],
      rows,
      ratios: [
        { name: 'p50 with few plugins', value: few, unit: 'ms', goal: { most: 100 } },
        { name: 'p50 with many plugins', value: many, unit: 'ms', goal: { most: 100 } },
        { name: 'many plugins / few', value: many / few, goal: { most: 1.25 } },
      ],
    },
  ];
}

async function saveAgainAndAgain(size: number, saves: number): Promise<Samples> {
  const tools = Array.from({ length: size }, (_, index) => ({ name: `tool_${index}`, code: answering(0) }));
  await using workshop = await Workshop.open(tools, { audit: true });
  await using host = await workshop.host({ watch: true });
  const samples = new Samples();
  for (let save = 1; save <= saves; save += 1) {
    const name = `tool_${(save * 7) % size}`;
    // One that was called before: of many plugins the code is only read then, and there would be nothing to replace.
    await answerOf(host, name, { n: 1 });
    const began = performance.now();
    await writeFile(workshop.codeFile(name), answering(save));
    while ((await answerOf(host, name, { n: 1 })) !== String(save)) {
      if (performance.now() - began > GIVE_UP_MS)
        throw new Error(`${name} was saved and does not answer anew`);
      await pause(1);
    }
    samples.add(performance.now() - began);
    // Nobody saves again before this one has settled.
    await pause(50);
  }
  return samples;
}

const answering = (value: number): string => `export default () => ${value};\n`;

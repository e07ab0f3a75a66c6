import type { Host } from 'glovebox';
import type { Effort, Finding, Instrument, Row } from '../finding.ts';
import { type ForkedSide, openPlainProcess } from '../sides/other-process.ts';
import { median } from '../statistics.ts';
import { ADD_ONE, answerOf, NUMBER_SCHEMA, Workshop } from '../workshop.ts';

const CALLERS = [1, 8, 64, 512];
/**
 * Some milliseconds in V8's own functions. A loop in JavaScript would measure something else: each fresh context compiles it
 * anew, on threads of V8's own, so one worker would take a core and a half already.
 */
const WORK = `const rows = JSON.stringify(Array.from({ length: 2_000 }, (_, id) => ({ id, name: 'row ' + id, tags: ['a', 'b'] })));
export default ({ n }) => {
  let chars = n;
  for (let round = 0; round < 8; round += 1) chars += JSON.stringify(JSON.parse(rows)).length;
  return chars;
};
`;
const CONFIG = { audit: true, limits: { concurrency: 64, queue: 1_024, timeoutMs: 60_000 } };

export const throughput: Instrument = { name: 'throughput', title: 'Calls a second', run };

async function run(effort: Effort): Promise<readonly Finding[]> {
  const plugins = [
    { name: 'add_one', code: ADD_ONE, schema: NUMBER_SCHEMA },
    { name: 'add_one_warm', code: ADD_ONE, schema: { ...NUMBER_SCHEMA, state: 'plugin' } },
    { name: 'work', code: WORK, schema: NUMBER_SCHEMA },
  ];
  await using one = await Workshop.open(plugins, { ...CONFIG, sandbox: { workers: 1 } });
  await using two = await Workshop.open(plugins, { ...CONFIG, sandbox: { workers: 2 } });
  await using hosts = new AsyncDisposableStack();
  const single = hosts.use(await one.host());
  const double = hosts.use(await two.host());
  const findings: Finding[] = [];
  for (const tool of ['add_one', 'add_one_warm']) findings.push(await measure(tool, single, double, effort));
  const work = await measure('work', single, double, effort);
  return [...findings, withMachine(work, await plainRates(one.codeFile('work'), effort))];
}

type Rates = Readonly<Record<'one' | 'two', number>>;

/** What this machine makes of a second process at all: the same code with no host, no wall and no messages but its answers. */
async function plainRates(codeFile: string, { quick, tell }: Effort): Promise<Rates> {
  tell('work, in plain processes');
  await using sides = new AsyncDisposableStack();
  const processes = [
    sides.use(await openPlainProcess(codeFile)),
    sides.use(await openPlainProcess(codeFile)),
  ] as const;
  const rounds: Rates[] = [];
  for (let round = 0; round < (quick ? 2 : 7); round += 1) {
    const calls = quick ? 100 : 250;
    const pair = {
      one: await rateOf([processes[0]], calls),
      two: await rateOf(processes, calls),
    };
    if (round > 0) rounds.push(pair);
  }
  return { one: median(rounds.map(({ one }) => one)), two: median(rounds.map(({ two }) => two)) };
}

async function rateOf(processes: readonly ForkedSide[], calls: number): Promise<number> {
  let left = calls;
  const began = performance.now();
  await Promise.all(
    processes.map(async (process) => {
      while (left > 0) {
        left -= 1;
        await process.ask(left);
      }
    }),
  );
  return (calls / (performance.now() - began)) * 1_000;
}

function withMachine(finding: Finding, { one, two }: Rates): Finding {
  const gain = two / one;
  const [ours] = finding.ratios;
  return {
    ...finding,
    rows: [...finding.rows, { name: 'plain processes, no host', values: { one, two, gain } }],
    ratios: [
      ...finding.ratios,
      { name: 'the same in plain processes, no host', value: gain },
      { name: 'gain of workers / gain of plain processes', value: (ours?.value ?? Number.NaN) / gain },
    ],
  };
}

const TITLES: Readonly<Record<string, string>> = {
  add_one: 'a trivial tool, fresh',
  add_one_warm: 'a trivial tool, one warm context',
  work: 'a CPU-bound tool',
};

async function measure(tool: string, one: Host, two: Host, { quick, tell }: Effort): Promise<Finding> {
  const rows: Row[] = [];
  const gains: number[] = [];
  for (const callers of CALLERS) {
    tell(`${tool}, ${callers} callers`);
    const calls = Math.max(callers * 2, quick ? 100 : tool === 'work' ? 250 : 6_000);
    const rates: { readonly one: number; readonly two: number }[] = [];
    for (let round = 0; round < (quick ? 2 : 7); round += 1) {
      const pair = { one: await rate(one, tool, callers, calls), two: await rate(two, tool, callers, calls) };
      // The first round warms up.
      if (round > 0) rates.push(pair);
    }
    const gain = median(rates.map((pair) => pair.two / pair.one));
    if (callers >= 8) gains.push(gain);
    rows.push({
      name: `${callers} ${callers === 1 ? 'caller' : 'callers'}`,
      values: {
        one: median(rates.map((pair) => pair.one)),
        two: median(rates.map((pair) => pair.two)),
        gain,
      },
    });
  }
  return {
    instrument: 'throughput',
    title: `${throughput.title}: ${TITLES[tool]}`,
    columns: [
      { key: 'one', unit: 'calls/s' },
      { key: 'two', unit: 'calls/s' },
      { key: 'gain', unit: '×' },
    ],
    rows,
    ratios:
      tool === 'work'
        ? [
            {
              name: 'two workers / one, CPU-bound, 8 callers and more',
              value: median(gains),
              goal: { least: 1.8 },
            },
          ]
        : [],
  };
}

/** Calls a second with so many callers, each of which waits for its answer. */
async function rate(host: Host, tool: string, callers: number, calls: number): Promise<number> {
  let left = calls;
  const began = performance.now();
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await answerOf(host, tool, { n: left });
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (calls / (performance.now() - began)) * 1_000;
}

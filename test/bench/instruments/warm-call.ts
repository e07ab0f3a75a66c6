import type { Effort, Finding, Instrument } from '../finding.ts';
import { RACE_COLUMNS, race } from '../race.ts';
import { openGlovebox } from '../sides/glovebox.ts';
import { openIsolateInProcess, openPlainFunction, openQuickJs } from '../sides/in-process.ts';
import { openChildProcess, openForked, openMcp, openWorkerThread } from '../sides/other-process.ts';

const OURS = 'Glovebox, warm';
const FLOOR = 'the floor: one fork round trip, one apply';
const MCP = 'MCP server over stdio';

export const warmCall: Instrument = { name: 'warm', title: 'A warm call, whole', run };

async function run({ quick }: Effort): Promise<readonly Finding[]> {
  await using sides = new AsyncDisposableStack();
  const all = [
    sides.use(openPlainFunction()),
    sides.use(await openForked(FLOOR, 'apply')),
    sides.use(await openGlovebox(OURS, 'plugin')),
    sides.use(await openMcp()),
    sides.use(await openQuickJs()),
    sides.use(openIsolateInProcess()),
    sides.use(openWorkerThread()),
    sides.use(openChildProcess()),
  ];
  const found = await race(
    all,
    quick ? { rounds: 5, calls: 50, warmUp: 600 } : { rounds: 100, calls: 100, warmUp: 5_000 },
  );
  return [
    {
      instrument: 'warm',
      title: warmCall.title,
      columns: RACE_COLUMNS,
      rows: found.rows(FLOOR),
      ratios: [found.ratio(OURS, FLOOR, { most: 1.5 }), found.ratio(OURS, MCP, { most: 1 })],
    },
  ];
}

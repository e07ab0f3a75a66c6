import type { Effort, Finding, Instrument } from '../finding.ts';
import { RACE_COLUMNS, race, type Side } from '../race.ts';
import { openGlovebox } from '../sides/glovebox.ts';
import { openRaw } from '../sides/in-process.ts';
import { openForked } from '../sides/other-process.ts';

const FRESH = 'Glovebox, fresh';
const WARM = 'Glovebox, warm';
const SNAPSHOT = 'raw context from a snapshot';
const FORKED_SNAPSHOT = 'one fork round trip, context from a snapshot';
const GAP_MS = 5;

export const freshCall: Instrument = { name: 'fresh', title: 'A call that leaves no state behind', run };

async function run(effort: Effort): Promise<readonly Finding[]> {
  await using sides = new AsyncDisposableStack();
  const [fresh, warm, snapshot, forked] = [
    sides.use(await openGlovebox(FRESH, 'fresh')),
    sides.use(await openGlovebox(WARM, 'plugin')),
    sides.use(await openRaw(SNAPSHOT, 'snapshot')),
    sides.use(await openForked(FORKED_SNAPSHOT, 'snapshot')),
  ];
  const others = [
    sides.use(await openRaw('raw context', 'context')),
    sides.use(await openRaw('raw isolate', 'isolate')),
    sides.use(await openForked('one fork round trip, raw isolate', 'isolate')),
  ];
  return [
    await backToBack([fresh, warm, snapshot, forked, ...others], effort),
    await spaced([fresh, warm, snapshot, forked], effort),
  ];
}

async function backToBack(sides: readonly Side[], { quick }: Effort): Promise<Finding> {
  const found = await race(
    sides,
    quick ? { rounds: 5, calls: 40, warmUp: 600 } : { rounds: 60, calls: 100, warmUp: 500 },
  );
  return {
    instrument: 'fresh',
    title: `${freshCall.title}, back to back`,
    columns: RACE_COLUMNS,
    rows: found.rows(SNAPSHOT),
    ratios: [
      found.ratio(FRESH, SNAPSHOT, { most: 2 }),
      found.ratio(FRESH, FORKED_SNAPSHOT),
      found.ratio(FRESH, WARM),
    ],
  };
}

async function spaced(sides: readonly Side[], { quick }: Effort): Promise<Finding> {
  const size = quick ? { rounds: 4, calls: 20, warmUp: 20 } : { rounds: 40, calls: 40, warmUp: 100 };
  const found = await race(sides, { ...size, gapMs: GAP_MS });
  return {
    instrument: 'fresh',
    title: `${freshCall.title}, with ${GAP_MS} ms between calls: the next context is made ahead`,
    columns: RACE_COLUMNS,
    rows: found.rows(WARM),
    ratios: [found.ratio(FRESH, WARM, { most: 1.5 }), found.ratio(FRESH, SNAPSHOT, { most: 2 })],
  };
}

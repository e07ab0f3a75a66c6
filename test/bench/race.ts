import { setTimeout as pause } from 'node:timers/promises';
import type { Column, Ratio, Row } from './finding.ts';
import { median, Samples, SPREAD_COLUMNS } from './statistics.ts';

/** One way of doing the same thing. */
export interface Side extends AsyncDisposable {
  readonly name: string;
  /** Once; throws when the answer is wrong. */
  call(n: number): Promise<void>;
  /** Share of the calls of a round that it gets; less than 1 for a slow one. @defaultValue 1 */
  readonly share?: number;
}

export interface RaceOptions {
  readonly rounds: number;
  /** Calls of each side in a round. */
  readonly calls: number;
  readonly warmUp: number;
  /** Milliseconds between two calls, in which the sides may get ready. @defaultValue 0 */
  readonly gapMs?: number;
}

/**
 * Sides take turns, one round each, so that whatever else the machine does meets all of them; a ratio is the median of
 * the rounds' own ratios.
 */
export async function race(sides: readonly Side[], options: RaceOptions): Promise<Race> {
  const { rounds, calls, warmUp } = options;
  const lanes = sides.map((side) => ({
    side,
    calls: Math.max(1, Math.round(calls * (side.share ?? 1))),
    samples: new Samples(),
    medians: [] as number[],
  }));
  for (const { side } of lanes)
    for (let n = 0; n < Math.max(1, Math.round(warmUp * (side.share ?? 1))); n += 1) await side.call(n);
  for (let round = 0; round < rounds; round += 1) {
    for (const lane of lanes) {
      const times: number[] = [];
      for (let n = 0; n < lane.calls; n += 1) {
        if (options.gapMs !== undefined) await pause(options.gapMs);
        const began = performance.now();
        await lane.side.call(n);
        times.push(performance.now() - began);
      }
      for (const time of times) lane.samples.add(time);
      lane.medians.push(median(times));
    }
  }
  return new Race(lanes.map(({ side, samples, medians }) => ({ name: side.name, samples, medians })));
}

interface Lane {
  readonly name: string;
  readonly samples: Samples;
  readonly medians: readonly number[];
}

export const RACE_COLUMNS: readonly Column[] = [
  ...SPREAD_COLUMNS,
  { key: 'ratio', unit: '×' },
  { key: 'calls', unit: '' },
];

export class Race {
  readonly #lanes: readonly Lane[];

  constructor(lanes: readonly Lane[]) {
    this.#lanes = lanes;
  }

  /** `ratio` is to the side called `reference`. */
  rows(reference: string): Row[] {
    return this.#lanes.map(({ name, samples }) => ({
      name,
      values: {
        ...samples.spread(),
        ratio: this.#compare(name, reference),
        calls: samples.count,
      },
    }));
  }

  ratio(name: string, reference: string, goal?: Ratio['goal']): Ratio {
    return {
      name: `${name} / ${reference}`,
      value: this.#compare(name, reference),
      ...(goal === undefined ? {} : { goal }),
    };
  }

  #compare(name: string, reference: string): number {
    const [over, under] = [this.#medians(name), this.#medians(reference)];
    return median(over.map((value, round) => value / (under[round] ?? Number.NaN)));
  }

  #medians(name: string): readonly number[] {
    const lane = this.#lanes.find((candidate) => candidate.name === name);
    if (lane === undefined) throw new Error(`no side is called "${name}"`);
    return lane.medians;
  }
}

/** Throws when a side answers wrongly: a fast wrong answer is no measurement. */
export function expectAnswer(side: string, found: unknown, expected: unknown): void {
  if (found !== expected) throw new Error(`${side} answered ${String(found)} for ${String(expected)}`);
}

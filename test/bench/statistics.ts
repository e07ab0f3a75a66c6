import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import type { Column } from './finding.ts';

/** Milliseconds of many calls, kept to three digits. */
export class Samples {
  readonly #histogram: RecordableHistogram = createHistogram({ figures: 3 });

  add(ms: number): void {
    this.#histogram.record(Math.max(1, Math.round(ms * 1e6)));
  }

  get count(): number {
    return this.#histogram.count;
  }

  /** The value that `percent` of the samples don't exceed, milliseconds. */
  percentile(percent: number): number {
    return this.#histogram.percentile(percent) / 1e6;
  }

  /** Values for {@link SPREAD_COLUMNS}. Of fewer than a hundred samples the 99th percentile is the largest, and said to be it. */
  spread(): Spread {
    const p50 = this.percentile(50);
    return this.count < 100 ? { p50, max: this.#histogram.max / 1e6 } : { p50, p99: this.percentile(99) };
  }
}

export type Spread = { readonly p50: number } & ({ readonly p99: number } | { readonly max: number });

/** Of the last two a row has one; a table leaves out what none of its rows has. */
export const SPREAD_COLUMNS: readonly Column[] = [
  { key: 'p50', unit: 'ms' },
  { key: 'p99', unit: 'ms' },
  { key: 'max', unit: 'ms' },
];

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[middle - 1] ?? Number.NaN, sorted[middle] ?? Number.NaN];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}

/** Least squares: what `y` grows by for one of `x`, and the standard error of that. */
export function slope(points: readonly (readonly [x: number, y: number])[]): {
  readonly perX: number;
  readonly error: number;
} {
  const count = points.length;
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / count;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / count;
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const perX = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
  const residual = points.reduce((sum, [x, y]) => sum + (y - meanY - perX * (x - meanX)) ** 2, 0);
  return { perX, error: Math.sqrt(residual / Math.max(1, count - 2) / spread) };
}

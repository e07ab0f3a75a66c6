/** What one instrument found, in the form that the table, the JSON and the chart are made of. */
export interface Finding {
  readonly instrument: string;
  readonly title: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  readonly ratios: readonly Ratio[];
}

export interface Column {
  readonly key: string;
  readonly unit: Unit;
}

export type Unit = 'ms' | 'ns' | 'calls/s' | 'MB' | '%' | '×' | '';

export interface Row {
  readonly name: string;
  readonly values: Readonly<Record<string, number>>;
}

/** Two sides of the same run, which is what stays true on another machine. */
export interface Ratio {
  readonly name: string;
  readonly value: number;
  readonly unit?: Unit;
  readonly goal?: Goal;
}

export interface Goal {
  readonly most?: number;
  readonly least?: number;
}

export function isMet({ value, goal }: Ratio): boolean | undefined {
  if (goal === undefined) return undefined;
  return (
    value <= (goal.most ?? Number.POSITIVE_INFINITY) && value >= (goal.least ?? Number.NEGATIVE_INFINITY)
  );
}

/** How much an instrument does. */
export interface Effort {
  /** A few seconds an instrument, for trying out; its numbers are not for the record. */
  readonly quick: boolean;
  /** Says what is going on, on stderr. */
  readonly tell: (line: string) => void;
}

export interface Instrument {
  readonly name: string;
  readonly title: string;
  run(effort: Effort): Promise<readonly Finding[]>;
}

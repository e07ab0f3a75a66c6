/** Thrown in the middle of a validation and caught at its edge. */
export class BudgetSpent extends Error {}

/**
 * Steps that one validation may take; each takes about a quarter of a microsecond, so that this is half a second. A thousand
 * arguments of a usual tool take a few thousand. A recursive `$ref` within `anyOf` could take 2 to the power of the depth, and would stop the host.
 */
export const VALIDATION_STEPS = 2_000_000;

/** Listing all errors takes memory for each; a value with more than this is told of its first error only. */
export const DETAIL_STEPS = 100_000;

/** Counts the work of one validation; validation is synchronous, so one counter an engine is enough. */
export class Budget {
  private left = VALIDATION_STEPS;

  reset(steps: number): void {
    this.left = steps;
  }

  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw new BudgetSpent();
  }

  /** One subschema is held against one value. */
  enter(weight: number, value: unknown): void {
    let size = 0;
    if (typeof value === 'string') size = value.length >> 6;
    else if (Array.isArray(value)) size = value.length >> 3;
    else if (typeof value === 'object' && value !== null) size = Object.keys(value).length >> 3;
    this.spend(weight + size);
  }
}

import type { SandboxProgram } from './sandbox.ts';

export interface QuarantineRule {
  /** Deaths of workers within the window that put a plugin away. @defaultValue 3 */
  readonly deaths: number;
  /** Milliseconds. @defaultValue 60000 */
  readonly windowMs: number;
}

interface DeathRecord {
  version: string;
  deaths: number[];
  reason: string | undefined;
}

/** Plugins that keep killing workers. An edit (a new version) or {@link Quarantine.release} brings one back. */
export class Quarantine {
  readonly #rule: QuarantineRule;
  readonly #records = new Map<string, DeathRecord>();

  constructor(rule: QuarantineRule) {
    this.#rule = rule;
  }

  /** Why the plugin may not run, or undefined. */
  reason(program: SandboxProgram): string | undefined {
    const record = this.#records.get(program.name);
    return record?.version === program.version ? record.reason : undefined;
  }

  recordDeath(program: SandboxProgram, how: string): void {
    const now = performance.now();
    const old = this.#records.get(program.name);
    const record =
      old?.version === program.version ? old : { version: program.version, deaths: [], reason: undefined };
    record.deaths = [...record.deaths.filter((time) => now - time < this.#rule.windowMs), now];
    if (record.deaths.length >= this.#rule.deaths) {
      record.reason ??= `it ended ${record.deaths.length} worker processes within ${this.#rule.windowMs / 1000} seconds (the last: ${how})`;
    }
    this.#records.set(program.name, record);
  }

  release(name: string): boolean {
    const quarantined = this.#records.get(name)?.reason !== undefined;
    this.#records.delete(name);
    return quarantined;
  }

  list(): { readonly name: string; readonly reason: string }[] {
    return [...this.#records].flatMap(([name, { reason }]) =>
      reason === undefined ? [] : [{ name, reason }],
    );
  }
}

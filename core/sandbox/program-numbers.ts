import type { SandboxProgram } from './sandbox.ts';

/** The numbers under which one worker knows the programs that it was sent, each with its heap limit. */
export class ProgramNumbers {
  readonly #numbers = new Map<string, Map<number, number>>();
  #last = 0;

  get(program: SandboxProgram, memoryMb: number): number | undefined {
    return this.#numbers.get(identityOf(program))?.get(memoryMb);
  }

  add(program: SandboxProgram, memoryMb: number): number {
    const identity = identityOf(program);
    const numbers = this.#numbers.get(identity) ?? new Map<number, number>();
    this.#last += 1;
    this.#numbers.set(identity, numbers.set(memoryMb, this.#last));
    return this.#last;
  }

  /** Forgets a program; returns the numbers that it had. */
  remove(program: SandboxProgram): readonly number[] {
    const identity = identityOf(program);
    const numbers = this.#numbers.get(identity);
    this.#numbers.delete(identity);
    return [...(numbers?.values() ?? [])];
  }
}

const identities = new WeakMap<SandboxProgram, string>();

/** One version of a plugin, whichever object stands for it. Kept, for every call asks. */
function identityOf(program: SandboxProgram): string {
  const known = identities.get(program);
  if (known !== undefined) return known;
  const identity = `${program.name}\n${program.version}`;
  identities.set(program, identity);
  return identity;
}

import type { ProgramLimits } from '../../sandbox/protocol.ts';
import type { SandboxProgram } from './sandbox.ts';

/** The numbers under which one worker knows the programs that it was sent, each with the limits of its calls. */
export class ProgramNumbers {
  readonly #numbers = new Map<string, Map<string, number>>();
  #last = 0;

  get(program: SandboxProgram, limits: ProgramLimits): number | undefined {
    return this.#numbers.get(identityOf(program))?.get(textOf(limits));
  }

  add(program: SandboxProgram, limits: ProgramLimits): number {
    const identity = identityOf(program);
    const numbers = this.#numbers.get(identity) ?? new Map<string, number>();
    this.#last += 1;
    this.#numbers.set(identity, numbers.set(textOf(limits), this.#last));
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
const texts = new WeakMap<ProgramLimits, string>();

/** One version of a plugin, whichever object stands for it. Kept, for every call asks. */
function identityOf(program: SandboxProgram): string {
  const known = identities.get(program);
  if (known !== undefined) return known;
  const identity = `${program.name}\n${program.version}`;
  identities.set(program, identity);
  return identity;
}

/** Kept too: a tool's limits are one object. */
function textOf(limits: ProgramLimits): string {
  const known = texts.get(limits);
  if (known !== undefined) return known;
  const { memoryMb, cpuMs, resultBytes, logBytes, hostCalls } = limits;
  const text = [memoryMb, cpuMs, resultBytes, logBytes, hostCalls].join(' ');
  texts.set(limits, text);
  return text;
}

import { type Command, InvalidArgumentError } from 'commander';
import { UsageError } from './exit-code.ts';

export const CONFIG_HELP = 'config file (default: registry.config.json here, if there is one)';

/** Parses an option that may be given once: taking the last of two values in silence would hide a mistake. */
export function onceOnly(flag: string): (value: string, previous: string | undefined) => string {
  return (value, previous) => {
    if (previous !== undefined) throw new InvalidArgumentError(`${flag} is given twice.`);
    return value;
  };
}

/** Parses an option that is a whole number above 0. */
export function wholeNumber(flag: string): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (!Number.isInteger(count) || count < 1)
      throw new UsageError(`${flag} must be a whole number above 0; it is "${text}"`);
    return count;
  };
}

/** Runs a command; what it resolves with is the exit code. */
export async function runs(work: () => Promise<number>): Promise<void> {
  process.exitCode = await work();
}

export function addExamples(command: Command, lines: readonly string[]): Command {
  return command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
}

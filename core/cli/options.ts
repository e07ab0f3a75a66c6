import { InvalidArgumentError } from 'commander';

/** Parses an option that may be given once: taking the last of two values in silence would hide a mistake. */
export function onceOnly(flag: string): (value: string, previous: string | undefined) => string {
  return (value, previous) => {
    if (previous !== undefined) throw new InvalidArgumentError(`${flag} is given twice.`);
    return value;
  };
}

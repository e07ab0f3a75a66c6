import { readFileSync } from 'node:fs';

/** What the operating system says of a process; undefined where it can't be asked (no /proc, or the process is gone). */
export interface ProcessUsage {
  readonly rssBytes: number;
  /** User and system time since it began, milliseconds. */
  readonly cpuMs: number;
}

/** Linux counts in units of 1/100 s (`USER_HZ`), whatever the kernel's own tick is. */
const MS_PER_TICK = 10;
const PAGE_BYTES = 4_096;

/** Reads /proc, which never blocks on a disk. */
export function processUsage(pid: number): ProcessUsage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command's name may hold spaces and brackets; the fields begin behind its last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [userTicks, systemTicks, pages] = [Number(fields[11]), Number(fields[12]), Number(fields[21])];
    return { cpuMs: (userTicks + systemTicks) * MS_PER_TICK, rssBytes: pages * PAGE_BYTES };
  } catch {
    return undefined;
  }
}

import { open, stat } from 'node:fs/promises';
import type { AuditEntry } from '../../audit/index.ts';
import { isRecord } from '../../schema/pointer.ts';

const LOOK_MS = 500;
/** Of one look; more is skipped: this is a view, and the file keeps it all. */
const MAX_BYTES = 262_144;

/** Tells each line that is added to an audit file from now on, whoever adds it. Ends with `close`. */
export async function followAudit(
  file: string,
  onEntry: (entry: AuditEntry, line: string) => void,
): Promise<{ close(): void }> {
  let position = (await stat(file).catch(() => undefined))?.size ?? 0;
  let rest = '';
  let isLooking = false;
  const look = async () => {
    const size = (await stat(file).catch(() => undefined))?.size ?? 0;
    // It was put aside, and a new one begun.
    if (size < position) [position, rest] = [0, ''];
    if (size === position) return;
    if (size - position > MAX_BYTES) [position, rest] = [size - MAX_BYTES, ''];
    const handle = await open(file, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(
        Buffer.alloc(size - position),
        0,
        size - position,
        position,
      );
      position += bytesRead;
      const lines = (rest + buffer.toString('utf8', 0, bytesRead)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const entry = readEntry(line);
        if (entry !== undefined) onEntry(entry, line);
      }
    } finally {
      await handle.close();
    }
  };
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look()
      .catch(() => undefined)
      .finally(() => {
        isLooking = false;
      });
  }, LOOK_MS).unref();
  return { close: () => clearInterval(timer) };
}

function readEntry(line: string): AuditEntry | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const fits =
      isRecord(value) &&
      typeof value.tool === 'string' &&
      typeof value.outcome === 'string' &&
      isRecord(value.usage) &&
      typeof value.usage.wallMs === 'number' &&
      typeof value.usage.cpuMs === 'number' &&
      (value.message === undefined || typeof value.message === 'string') &&
      (value.chain === undefined || isTexts(value.chain)) &&
      (value.uses === undefined || (Array.isArray(value.uses) && value.uses.every(isUse)));
    return fits ? (value as unknown as AuditEntry) : undefined; // what is read of it was looked at above
  } catch {
    return undefined;
  }
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isUse(value: unknown): boolean {
  return isRecord(value) && typeof value.capability === 'string' && typeof value.target === 'string';
}

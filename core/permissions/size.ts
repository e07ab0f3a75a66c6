const UNITS: Readonly<Record<string, number>> = { b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

/** Bytes in `"512"`, `"64KB"`, `"1.5 MB"` (powers of 1024), or undefined for anything else. */
export function parseSize(text: unknown): number | undefined {
  if (typeof text !== 'string' || text.length > 32) return undefined;
  const match = /^(\d{1,12}(?:\.\d{1,6})?) ?(b|kb|mb|gb)?$/i.exec(text.trim());
  if (!match) return undefined;
  const bytes = Math.floor(Number(match[1]) * (UNITS[(match[2] ?? 'b').toLowerCase()] ?? 1));
  return Number.isSafeInteger(bytes) && bytes > 0 ? bytes : undefined;
}

/** `1.5 MB`: for people. */
export function formatSize(bytes: number): string {
  for (const [unit, size] of [
    ['GB', 1024 ** 3],
    ['MB', 1024 ** 2],
    ['KB', 1024],
  ] as const) {
    if (bytes >= size) return `${Number((bytes / size).toFixed(2))} ${unit}`;
  }
  return `${bytes} bytes`;
}

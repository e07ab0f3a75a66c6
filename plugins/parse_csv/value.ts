export type Cell = string | number | boolean | null;

/** A value only where it can be written back without loss: 007, 1.50, 1e999 and long account numbers stay text. */
export function toValue(raw: string): Cell {
  if (raw === '') return null;
  if (raw === 'true' || raw === 'false') return raw === 'true';
  const number = Number(raw);
  return String(number) === raw && Number.isFinite(number) ? number : raw;
}

import { distance } from 'fastest-levenshtein';

/** Slips between two words: letters that are wrong, missing or too many, and two neighbours that changed places. */
export function countTypos(left: string, right: string): number {
  return isSwapped(left, right) ? 1 : distance(left, right);
}

function isSwapped(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let first = 0;
  while (first < left.length && left[first] === right[first]) first += 1;
  const rest = first + 2;
  return (
    left[first] !== undefined &&
    left[first] === right[first + 1] &&
    left[first + 1] === right[first] &&
    left.slice(rest) === right.slice(rest)
  );
}

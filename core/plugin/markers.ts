import type { Kind } from '../catalog/offer.ts';

/** The file that makes a directory a plugin. Where there are several, the first counts: code may import the others. */
const MARKERS: readonly (readonly [file: string, kind: Kind])[] = [
  ['schema.json', 'tool'],
  ['resource.json', 'resource'],
  ['prompt.md', 'prompt'],
];

export function isMarker(name: string): boolean {
  return MARKERS.some(([file]) => file === name);
}

export function markerOf(kind: Kind): string {
  return MARKERS.find((marker) => marker[1] === kind)?.[0] ?? '';
}

/** What a directory with these files holds, if it is a plugin. */
export function kindOfDirectory(names: readonly string[]): Kind | undefined {
  return MARKERS.find(([file]) => names.includes(file))?.[1];
}

/** May plugins lie in the folders below it? A prompt is one file; it closes no folder that groups others. */
export function isClosed(kind: Kind): boolean {
  return kind !== 'prompt';
}

/** Markers beside the one that counts. */
export function otherMarkers(kind: Kind, names: readonly string[]): string[] {
  return MARKERS.filter(([file, other]) => other !== kind && names.includes(file)).map(([file]) => file);
}

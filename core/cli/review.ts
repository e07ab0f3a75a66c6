import path from 'node:path';
import { nameOf } from '../catalog/offer.ts';
import { isEmptyRequest } from '../install/index.ts';
import { type Admission, describePermissions, printable } from '../permissions/index.ts';
import type { Manifest } from '../plugin/manifest.ts';
import type { AnyVersion } from '../plugin/offer-version.ts';
import { shortVersion } from './format-entries.ts';
import { paint } from './output.ts';

/** What a person is shown before consenting to a plugin. Every text in it may be a stranger's. */
export interface Review {
  readonly version: AnyVersion;
  readonly packages: readonly string[];
  readonly admission: Admission;
  /** Lines about where it comes from and goes to. */
  readonly origin: readonly (readonly [label: string, text: string])[];
}

const LONGEST_DESCRIPTION = 1_500;
const MOST_DESCRIPTION_LINES = 20;
const MOST_PACKAGES = 100;
const MOST_WARNINGS = 10;

export function formatReview(review: Review, stream: NodeJS.WriteStream): string {
  const { version, packages, admission, origin } = review;
  const { manifest } = version;
  const title = manifest.title === undefined ? '' : `  ${printable(manifest.title, 100)}`;
  const label = (text: string) => paint(stream, 'dim', text.padEnd(9));
  const rows: (readonly [string, string])[] = [
    ...origin,
    ['content', shortVersion(version.version)],
    ['packages', packages.length === 0 ? 'none bundled' : listed(packages)],
  ];
  const asks = describePermissions(manifest.permissions);
  const asksNothing = isEmptyRequest(manifest.permissions);
  return [
    `${paint(stream, 'bold', printable(manifest.name))}${title}`,
    ...descriptionOf(manifest).map((line) => `  ${line}`),
    '',
    ...rows.map(([name, text]) => `  ${label(name)} ${text}`),
    '',
    ...(asksNothing ? [`  ${asks[0]}`] : ['  It asks to:', ...asks.map((line) => `    - ${line}`)]),
    ...notesOn(version).map((line) => paint(stream, 'yellow', `  ${line}`)),
    ...version.warnings
      .slice(0, MOST_WARNINGS)
      .map(({ path: at, message }) =>
        paint(stream, 'yellow', `  warning: ${printable(`${at} ${message}`.trim())}`),
      ),
    ...formatDifference(admission).map((line) => (line === '' ? '' : `  ${line}`)),
  ].join('\n');
}

/** What has changed against the lock; nothing where the plugin is new or the same. */
export function formatDifference(admission: Admission): string[] {
  if (admission.kind === 'admitted') return ['', 'Nothing in it has changed since it was consented to.'];
  if (admission.reason === 'damaged') return ['', printable(admission.text, 500)];
  const { diff } = admission;
  if (diff === undefined) return [];
  return [
    '',
    'Changed since it was consented to:',
    ...(diff.widened.length === 0
      ? []
      : ['  It asks for more:', ...diff.widened.map((line) => `    ! ${line}`)]),
    ...diff.changes.flatMap(({ part, lines }) => [`  ${part}:`, ...lines.map((line) => `    ${line}`)]),
  ];
}

function descriptionOf({ description }: Manifest): string[] {
  const lines = description.slice(0, LONGEST_DESCRIPTION).split('\n').slice(0, MOST_DESCRIPTION_LINES);
  const isCut = lines.join('\n').length < description.length;
  return [...lines.map((line) => printable(line, LONGEST_DESCRIPTION)), ...(isCut ? ['…'] : [])].filter(
    (line) => line.trim() !== '',
  );
}

function notesOn(version: AnyVersion): string[] {
  const { name, annotations, approval, state } = version.manifest;
  if ('offer' in version) {
    const { kind } = version.offer;
    return [`It is a ${kind}, ${printable(nameOf(kind, name))}: it is read, not called.`];
  }
  const notes: string[] = [];
  if (annotations.destructive === true)
    notes.push('It says that it is destructive: what it does may not be undone. Its calls need an approval.');
  if (approval === 'always') notes.push('It wants each of its calls to be approved.');
  if (annotations.readOnly === true) notes.push('It says that it changes nothing (readOnly).');
  if (annotations.openWorld === true) notes.push('It says that it deals with the outside world (openWorld).');
  if (state !== 'fresh') notes.push(`It keeps its state from call to call (${state}).`);
  return notes;
}

function listed(texts: readonly string[]): string {
  const shown = texts.slice(0, MOST_PACKAGES).map((text) => printable(text, 100));
  return `${shown.join(', ')}${texts.length > MOST_PACKAGES ? `, and ${texts.length - MOST_PACKAGES} more` : ''}`;
}

export function shownPath(file: string): string {
  return printable(path.relative(process.cwd(), file) || '.');
}

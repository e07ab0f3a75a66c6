import { canonicalJson } from '../permissions/lock-entry.ts';
import type { PermissionRequest } from '../plugin/manifest.ts';
import { shownPath } from './review.ts';

/** One entry of `grants`, as it stands in registry.config.json. JSON escapes what could steer a terminal. */
export function grantEntry(id: string, grants: PermissionRequest): string {
  const lines = Object.entries(grants)
    .filter(([, value]) => value !== undefined)
    .map(([capability, value]) => `  ${quoted(capability)}: ${spaced(value)}`);
  return lines.length === 0 ? `${quoted(id)}: {}` : `${quoted(id)}: {\n${lines.join(',\n')}\n}`;
}

/** Tells the operator what a plugin lacks and both ways to give it. */
export function missingLines(
  id: string,
  request: PermissionRequest,
  sourceDir: string,
  hasSome: boolean,
): string[] {
  return [
    `${quoted(id)} is granted ${hasSome ? 'not all' : 'nothing'} of what it asks for. To grant it all: glovebox grant ${argument(id)}`,
    `or put into "grants" of the entry for ${shownPath(sourceDir)} in the config:`,
    ...grantEntry(id, request)
      .split('\n')
      .map((line) => `  ${line}`),
  ];
}

export function isSameGrant(one: PermissionRequest, other: PermissionRequest): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

function spaced(value: unknown): string {
  return asciiControls(JSON.stringify(value, null, 1).replace(/\n */g, ' '));
}

function quoted(text: string): string {
  return asciiControls(JSON.stringify(text));
}

/** JSON leaves C1 controls and direction marks as they are. */
function asciiControls(json: string): string {
  return json.replace(
    /[\u007F-\u009F\u2028\u2029\p{Cf}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A name as it stands on a command line. */
export function argument(text: string): string {
  return /^[\w.:@/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

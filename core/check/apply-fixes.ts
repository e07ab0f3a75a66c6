import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { applyEdits, type FormattingOptions, findNodeAtLocation, modify, parseTree } from 'jsonc-parser';
import type { Manifest } from '../plugin/manifest.ts';
import { readManifest } from '../plugin/read-manifest.ts';
import { writeTypes } from '../plugin/types.ts';
import { replaceFile } from '../replace-file.ts';
import type { Finding, JsonEdit } from './finding.ts';
import type { Subject } from './subject.ts';

export interface Applied {
  readonly finding: Finding;
  readonly ok: boolean;
  /** Why it was not applied. */
  readonly reason?: string;
}

/**
 * Applies what is safe, plugin by plugin. Each edit of a schema.json is made only if the file is then read as the same
 * tool as before; the layout of all else stays. Strangers' files are left alone: what was consented to must not change.
 */
export async function applyFixes(
  subjects: readonly Subject[],
  findings: readonly Finding[],
): Promise<Applied[]> {
  const applied: Applied[] = [];
  for (const subject of subjects) {
    const own = findings.filter(
      ({ safeFix, plugin, file }) =>
        safeFix !== undefined && plugin === subject.name && file.startsWith(subject.dir + path.sep),
    );
    if (own.length === 0) continue;
    if (subject.source.trust === 'granted') {
      const reason = 'it is under trust "granted", and what was consented to must not change';
      applied.push(...own.map((finding) => ({ finding, ok: false, reason })));
    } else applied.push(...(await applyOwn(subject, own)));
  }
  return applied;
}

async function applyOwn(subject: Subject, findings: readonly Finding[]): Promise<Applied[]> {
  const applied: Applied[] = [];
  const { json, name } = subject;
  let text = json?.text ?? '';
  for (const finding of findings) {
    if (finding.safeFix?.kind !== 'json') continue;
    const next = edit(text, finding.safeFix.edits, name);
    if (next.ok) text = next.text;
    applied.push(next.ok ? { finding, ok: true } : { finding, ok: false, reason: next.reason });
  }
  if (json !== undefined && text !== json.text) await replaceFile(json.file, text);
  const types = findings.filter(({ safeFix }) => safeFix?.kind === 'types');
  const isChanged = json !== undefined && text !== json.text;
  const reading = readManifest(text, { name });
  if (reading.ok && (types.length > 0 || isChanged)) await writeTypes(subject.dir, reading.manifest);
  applied.push(...types.map((finding) => ({ finding, ok: reading.ok })));
  return applied;
}

type Edited = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

function edit(text: string, edits: readonly JsonEdit[], name: string): Edited {
  const before = readManifest(text, { name });
  if (!before.ok) return { ok: false, reason: 'the file has errors; correct them first' };
  const formattingOptions = layoutOf(text);
  let edited = text;
  for (const { path: where, value } of edits) {
    // Formatting also lays out anew what is around; only a key that is new needs any.
    const isNew = resolvePath(edited, where) === undefined;
    edited = applyEdits(edited, modify(edited, [...where], value, isNew ? { formattingOptions } : {}));
  }
  const after = readManifest(edited, { name });
  if (!after.ok || !means(before.manifest, after.manifest))
    return { ok: false, reason: 'it would change what the schema means; do it by hand' };
  return { ok: true, text: edited };
}

function resolvePath(text: string, where: JsonEdit['path']): unknown {
  const tree = parseTree(text);
  return tree && findNodeAtLocation(tree, [...where]);
}

/** The same tool, but for refusing names at the root that the schema does not list. */
function means(before: Manifest, after: Manifest): boolean {
  return isDeepStrictEqual(closed(before), closed(after));
}

function closed({ parameters, ...rest }: Manifest): unknown {
  const { additionalProperties, ...others } = parameters;
  const open = additionalProperties === undefined || additionalProperties === false;
  return { ...rest, parameters: open ? others : parameters };
}

function layoutOf(text: string): FormattingOptions {
  const indent = /\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}

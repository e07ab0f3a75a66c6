import path from 'node:path';
import type { AuditEntry } from '../../audit/index.ts';
import type { CallResult } from '../../call/result.ts';
import type { Host } from '../../host.ts';
import { grantLine, leastGrant } from '../../permissions/index.ts';
import { frameOfFile } from '../code-frame.ts';
import { oneLine, paint } from '../output.ts';
import { printable } from '../printable.ts';
import { frameWidth, indent } from './print-changes.ts';

const MAX_RESULT_CHARS = 2_000;
const MAX_ARGUMENT_CHARS = 300;

/** What one call came to: its answer, what it used, and what it was refused. */
export async function formatCall(
  host: Host,
  argumentsText: string,
  result: CallResult,
  entry: AuditEntry | undefined,
): Promise<string> {
  const stream = process.stderr;
  const { name } = result.tool;
  const status = result.ok ? paint(stream, 'green', 'ok') : paint(stream, 'red', result.error.code);
  const head = `${paint(stream, 'bold', oneLine(name))} ${cut(oneLine(argumentsText), MAX_ARGUMENT_CHARS)}`;
  const dir = host.catalog.get(name)?.dir;
  return [
    head,
    `  ${status} ${paint(stream, 'dim', usageOf(result))}`,
    indent(cut(printable(result.content), MAX_RESULT_CHARS)),
    ...(await frameOfError(result, dir)),
    ...(entry === undefined ? [] : denialsOf(entry, host)),
  ].join('\n');
}

function usageOf({ usage }: CallResult): string {
  const { wallMs, cpuMs, heapBytes, queuedMs, hostCalls } = usage;
  const parts = [
    `${wallMs.toFixed(0)} ms`,
    `cpu ${cpuMs.toFixed(1)} ms`,
    `heap ${(heapBytes / 1_048_576).toFixed(1)} MiB`,
    ...(queuedMs >= 1 ? [`queued ${queuedMs.toFixed(0)} ms`] : []),
    `${hostCalls} host call${hostCalls === 1 ? '' : 's'}`,
  ];
  return parts.join(', ');
}

/** An error's message names the place in the plugin: `(index.ts:12)`. */
async function frameOfError(result: CallResult, dir: string | undefined): Promise<string[]> {
  if (result.ok || dir === undefined) return [];
  const [, file, line] = /\(([\w./-]+\.[cm]?[jt]s):(\d+)\)/.exec(result.error.message) ?? [];
  if (file === undefined || line === undefined) return [];
  const absolute = path.resolve(dir, file);
  if (!absolute.startsWith(dir + path.sep)) return [];
  const frame = await frameOfFile(absolute, Number(line), { width: frameWidth() });
  return frame === undefined ? [] : [`    ${paint(process.stderr, 'dim', `${file}:${line}`)}`, indent(frame)];
}

/** Each refusal, with what would allow it. */
export function denialsOf({ tool, uses = [] }: AuditEntry, host: Host): string[] {
  const stream = process.stderr;
  const requested = host.catalog.get(tool)?.tool?.manifest.permissions ?? {};
  return uses
    .filter(({ allowed }) => !allowed)
    .flatMap(({ capability, target, count }) => {
      const grant = grantLine(tool, capability, target);
      const times = count > 1 ? ` (${count} times)` : '';
      const request = `"permissions": { "${capability}": ${JSON.stringify(leastGrant(capability, target))} }`;
      return [
        `  ${paint(stream, 'red', 'denied')} ${capability} ${oneLine(target)}${times}`,
        ...(Object.hasOwn(requested, capability)
          ? []
          : [`    schema.json must ask for it: ${oneLine(request)}`]),
        ...(grant === undefined ? [] : [`    "grants" of the config would allow it with: ${oneLine(grant)}`]),
      ];
    });
}

/** Calls that others make: a plugin that calls a tool, or another process that writes the same audit. */
export function formatEntry(entry: AuditEntry, host: Host, from: string): string {
  const stream = process.stderr;
  const { tool, outcome, usage, message, chain = [] } = entry;
  const path = [...chain, tool].map(oneLine).join(' -> ');
  const status = outcome === 'ok' ? paint(stream, 'green', 'ok') : paint(stream, 'red', oneLine(outcome));
  const given = cut(oneLine(JSON.stringify(entry.arguments ?? entry.shape) ?? ''), MAX_ARGUMENT_CHARS);
  return [
    `${paint(stream, 'bold', path)} ${given}`,
    `  ${status} ${paint(stream, 'dim', `${usage.wallMs.toFixed(0)} ms, cpu ${usage.cpuMs.toFixed(1)} ms${from}`)}`,
    ...(message === undefined ? [] : [`    ${oneLine(message)}`]),
    ...denialsOf(entry, host),
  ].join('\n');
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

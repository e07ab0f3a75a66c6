import type { Findings, Problem } from './problem.ts';

/** More than a person reads; a hostile file could have thousands. */
const MAX_FINDINGS = 100;

function push(list: Problem[], path: string, message: string): void {
  if (list.length < MAX_FINDINGS) list.push({ path, message });
  else if (list.length === MAX_FINDINGS) list.push({ path: '', message: 'there is more like this' });
}

export function warn(findings: Findings, path: string, message: string): void {
  push(findings.warnings, path, message);
}

export function fail(findings: Findings, path: string, message: string): void {
  push(findings.problems, path, message);
}

export function drop(findings: Findings, path: string, message: string): Record<string, never> {
  warn(findings, path, message);
  return {};
}

export function refuse(findings: Findings, path: string, message: string): Record<string, never> {
  fail(findings, path, message);
  return {};
}

/** What a value is, for a sentence. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

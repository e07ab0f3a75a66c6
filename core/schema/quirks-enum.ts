import { drop, kindOf, refuse, warn } from './findings.ts';
import { isRecord, pointerTo } from './pointer.ts';
import type { Findings } from './problem.ts';

type Schema = Record<string, unknown>;

export function readEnum(value: unknown, at: string, findings: Findings): Schema {
  if (value === null) return drop(findings, at, 'is null; ignored');
  if (isRecord(value) && Object.keys(value).length > 0) {
    warn(findings, at, 'is an object in place of a list; its keys are read as the values');
    return { enum: Object.keys(value) };
  }
  if (!Array.isArray(value)) return refuse(findings, at, `must be a list of values, not ${kindOf(value)}`);
  if (value.length === 0) return drop(findings, at, 'is an empty list, which no value satisfies; ignored');
  const seen = new Set<string>();
  const kept: unknown[] = [];
  for (const [index, item] of value.entries()) {
    const key = JSON.stringify(item);
    if (seen.has(key)) warn(findings, pointerTo(at, index), `repeats ${key.slice(0, 60)}; taken once`);
    else kept.push(item);
    seen.add(key);
  }
  return { enum: kept };
}

/** A type that no value of `enum` (or `const`) has makes a schema that nothing satisfies: the values win. */
export function repairEnumType(schema: Schema, at: string, findings: Findings): void {
  const types = [schema.type].flat().filter((type) => typeof type === 'string');
  const values = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : [];
  if (types.length === 0 || values.length === 0) return;
  const fits = (value: unknown): boolean => types.some((type) => hasType(value, type));
  if (values.some(fits)) return;
  const keyword = Array.isArray(schema.enum) ? 'enum' : 'const';
  const known = [...new Set(values.map(typeName))];
  warn(
    findings,
    pointerTo(at, 'type'),
    `is ${types.map((type) => `"${type}"`).join(' or ')}, which no value of \`${keyword}\` has; read as ${known.map((type) => `"${type}"`).join(' or ')}`,
  );
  schema.type = known.length === 1 ? known[0] : known;
}

function hasType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  return typeName(value) === type;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

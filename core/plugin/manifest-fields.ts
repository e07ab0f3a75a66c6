import { LEAST_LIMITS, type Limits } from '../config/limits.ts';
import { LIMIT_NAMES } from '../config/resolve-limits.ts';
import { resolvePolicy } from '../permissions/policy.ts';
import { fail, kindOf, show, warn } from '../schema/findings.ts';
import { isRecord, pointerTo } from '../schema/pointer.ts';
import type { Findings } from '../schema/problem.ts';
import { findSimilar } from '../schema/similar.ts';
import type { Annotations, ApprovalRule, Example, PermissionRequest, State } from './manifest.ts';

/** Each reads one key of schema.json: the value, or undefined with a finding that says what is wrong. */
export class Fields {
  readonly #findings: Findings;
  /** Only in our own form is a wrong value the author's mistake; elsewhere it is left out with a warning. */
  readonly #isOwn: boolean;

  constructor(findings: Findings, isOwn: boolean) {
    this.#findings = findings;
    this.#isOwn = isOwn;
  }

  text(value: unknown, at: string): string | undefined {
    if (value === undefined || typeof value === 'string') return value;
    return this.#wrong(at, `must be text, not ${kindOf(value)}`);
  }

  oneOf<Value extends string>(value: unknown, at: string, allowed: readonly Value[]): Value | undefined {
    if (value === undefined) return undefined;
    const found = allowed.find((each) => each === value);
    return found ?? this.#wrong(at, `must be one of ${allowed.map(show).join(', ')}; it is ${show(value)}`);
  }

  tags(value: unknown, at: string): readonly string[] | undefined {
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((tag) => typeof tag === 'string')) return value;
    return this.#wrong(at, 'must be a list of texts');
  }

  annotations(value: unknown, at: string): Annotations | undefined {
    if (value === undefined) return undefined;
    if (!isRecord(value)) return this.#wrong(at, `must be an object, not ${kindOf(value)}`);
    const read: Record<string, boolean> = {};
    for (const [key, flag] of Object.entries(value)) {
      if (!ANNOTATION_NAMES.includes(key))
        this.#wrong(pointerTo(at, key), explainUnknown(key, ANNOTATION_NAMES));
      else if (typeof flag === 'boolean') read[key] = flag;
      else this.#wrong(pointerTo(at, key), `must be true or false; it is ${show(flag)}`);
    }
    return read;
  }

  limits(value: unknown, at: string): Partial<Limits> | undefined {
    if (value === undefined) return undefined;
    if (!isRecord(value)) return this.#wrong(at, `must be an object, not ${kindOf(value)}`);
    const read: Partial<Record<keyof Limits, number>> = {};
    for (const [key, limit] of Object.entries(value)) {
      const name = LIMIT_NAMES.find((each) => each === key);
      if (name === undefined) this.#wrong(pointerTo(at, key), explainUnknown(key, LIMIT_NAMES));
      else if (typeof limit === 'number' && Number.isSafeInteger(limit) && limit >= LEAST_LIMITS[name])
        read[name] = limit;
      else
        this.#wrong(
          pointerTo(at, key),
          `must be a whole number, at least ${LEAST_LIMITS[name]}; it is ${show(limit)}`,
        );
    }
    return read;
  }

  permissions(value: unknown, at: string): PermissionRequest | undefined {
    if (value === undefined) return undefined;
    if (!isRecord(value)) return this.#wrong(at, `must be an object, not ${kindOf(value)}`);
    const resolved = resolvePolicy(value, undefined);
    if (resolved.ok) return value;
    for (const problem of resolved.problems) this.#wrong(`${at}${problem.path}`, problem.message);
    return undefined;
  }

  examples(value: unknown, at: string): readonly Example[] | undefined {
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) return this.#wrong(at, `must be a list, not ${kindOf(value)}`);
    const read: Example[] = [];
    for (const [index, example] of value.entries()) {
      if (!isRecord(example) || !isRecord(example.arguments)) {
        this.#wrong(`${at}/${index}`, 'must be an object with "arguments", which are an object');
        continue;
      }
      const { arguments: args, result, ...others } = example;
      for (const key of Object.keys(others))
        this.#wrong(pointerTo(`${at}/${index}`, key), 'is an unknown key; known are arguments, result');
      read.push({ arguments: args, ...(result === undefined ? {} : { result }) });
    }
    return read;
  }

  state(value: unknown, at: string): State | undefined {
    return this.oneOf(value, at, ['fresh', 'session', 'plugin']);
  }

  approval(value: unknown, at: string): ApprovalRule | undefined {
    return this.oneOf(value, at, ['always', 'destructive', 'never']);
  }

  #wrong(at: string, message: string): undefined {
    if (this.#isOwn) fail(this.#findings, at, message);
    else warn(this.#findings, at, `${message}; left out`);
    return undefined;
  }
}

function explainUnknown(key: string, known: readonly string[]): string {
  const meant = findSimilar(key, known);
  return `is unknown; ${meant === undefined ? '' : `did you mean "${meant}"? `}known are ${known.join(', ')}`;
}

const ANNOTATION_NAMES: readonly string[] = [
  'readOnly',
  'destructive',
  'idempotent',
  'openWorld',
] satisfies (keyof Annotations)[];

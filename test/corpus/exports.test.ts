import { readFileSync } from 'node:fs';
import { toStrictJsonSchema } from 'openai/lib/transform';
import { describe, expect, it } from 'vitest';
import { exportTools } from '../../core/adapters/export.ts';
import { checkSchema } from '../../core/adapters/legal.ts';
import { lintTools } from '../../core/adapters/lint.ts';
import { isLegalName } from '../../core/adapters/names.ts';
import { TARGET_RULES, TARGETS } from '../../core/adapters/targets.ts';
import type { JsonSchema, Manifest } from '../../core/plugin/manifest.ts';
import { readManifest } from '../../core/plugin/read-manifest.ts';
import { exportOne, roundTrip, schemaIn, validator } from '../adapters/support.ts';

interface Definition {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: unknown;
}

interface Question {
  readonly source: string;
  readonly functions: readonly Definition[];
  readonly accepted_calls: readonly Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>[];
}

/** The corpus lies beside the checkout, and is not part of the project. */
function corpus<Line>(file: string): Line[] | undefined {
  try {
    const text = readFileSync(new URL(`../../../shared/cases/schemas/${file}`, import.meta.url), 'utf8');
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line); // cast: the corpus' README names the fields
  } catch {
    return undefined;
  }
}

function load({ name, description, parameters }: Definition): Manifest | undefined {
  const text = JSON.stringify({ name, description: description || name, parameters });
  const reading = readManifest(text, { name: 'tool' });
  return reading.ok ? reading.manifest : undefined;
}

const definitions = corpus<Definition>('real-tools.jsonl');
const questions = corpus<Question>('real-calls.jsonl');
const missing =
  definitions === undefined || questions === undefined
    ? ' (skipped: the corpus is not beside this checkout)'
    : '';
const manifests = (definitions ?? []).map(load).filter((manifest) => manifest !== undefined);

/** A call for each question: with all that may be given, and with only what must be. */
function callsOf({
  functions,
  accepted_calls,
}: Question): { manifest: Manifest; args: Record<string, unknown> }[] {
  return accepted_calls.flatMap((accepted) =>
    Object.entries(accepted).flatMap(([name, parameters]) => {
      const definition = functions.find((one) => one.name === name);
      const manifest = definition === undefined ? undefined : load(definition);
      if (manifest === undefined) return [];
      const given = Object.entries(parameters).map(
        ([key, values]) => [key, values.filter((value) => value !== '')] as const,
      );
      const all = given
        .filter(([, values]) => values.length > 0)
        .map(([key, values]) => [key, plain(values[0])] as const);
      const needed = all.filter(([key]) => !parameters[key]?.includes(''));
      return [all, needed].map((entries) => ({ manifest, args: Object.fromEntries(entries) }));
    }),
  );
}

/** Objects of the corpus list acceptable values for each of their own keys. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(
    ([key, values]) =>
      [key, Array.isArray(values) ? plain(values.find((one) => one !== '')) : values] as const,
  );
  return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
}

describe.skipIf(missing !== '')(`966 real tools${missing}`, () => {
  it('load, nearly all of those that have a schema', () => {
    expect(manifests.length).toBeGreaterThanOrEqual(894);
  });

  describe.each(TARGETS)('for %s', (target) => {
    it.each([false, true])('have schemas that it takes (strict: %s)', (strict) => {
      const refused = manifests.flatMap((manifest) => {
        const { tools, mapping } = exportTools([manifest], target, { strict });
        const schema = schemaIn(target, tools[0]);
        // Ajv must be able to read what we send, too.
        validator(target, schema);
        const problems =
          schema === undefined
            ? []
            : checkSchema(schema, target, { strict: mapping.isStrict(manifest.name) });
        return problems.map((problem) => `${manifest.name} ${problem.path}: ${problem.message}`);
      });
      expect(refused).toEqual([]);
    });

    it('have legal and unique names that map back', () => {
      const { mapping, tools } = exportTools(manifests, target);
      const own = new Set(manifests.map((manifest) => manifest.name));
      const exported = new Set([...own].map((name) => mapping.exportedName(name)));
      expect(exported.size).toBe(own.size);
      for (const name of own) {
        const form = mapping.exportedName(name) ?? '';
        expect(isLegalName(form, TARGET_RULES[target].toolName), form).toBe(true);
        expect(mapping.toolName(form)).toBe(name);
      }
      expect(JSON.stringify(tools)).toBe(JSON.stringify(exportTools(manifests, target).tools));
    });
  });

  it('are strict for OpenAI just as the openai package would make them, in most cases', () => {
    let strict = 0;
    for (const manifest of manifests) {
      const { tools, mapping } = exportTools([manifest], 'openai', { strict: true });
      if (!mapping.isStrict(manifest.name)) continue;
      strict += 1;
      const schema = schemaIn('openai', tools[0]) as JsonSchema;
      expect(toStrictJsonSchema(schema)).toEqual(schema);
    }
    expect(strict).toBeGreaterThan(manifests.length * 0.8);
  });

  it('say why, where they are not strict', () => {
    const { mapping, notes } = exportTools(manifests, 'responses', { strict: true });
    const reasons = new Set(notes.filter((note) => note.kind === 'not_strict').map((note) => note.tool));
    const plainOnes = new Set(
      manifests.map((manifest) => manifest.name).filter((name) => !mapping.isStrict(name)),
    );
    expect(reasons).toEqual(plainOnes);
  });

  it('are linted all at once', () => {
    const problems = lintTools(manifests);
    expect(
      problems.filter((problem) => problem.path === 'name' && problem.target === 'openai').length,
    ).toBeGreaterThan(50);
    expect(problems.some((problem) => problem.target === 'gemini')).toBe(true);
  });
});

describe.skipIf(missing !== '')(`accepted calls${missing}`, () => {
  const valid = (questions ?? [])
    .flatMap(callsOf)
    .filter(({ manifest, args }) => validator('mcp', exportOne(manifest.parameters, 'mcp').schema)(args));

  it('fit the schema of their tool, nearly all', () => {
    expect(valid.length).toBeGreaterThan(400);
  });

  describe.each(TARGETS)('to %s', (target) => {
    it.each([false, true])('are accepted there, and come back as they were (strict: %s)', (strict) => {
      const lost = valid.flatMap(({ manifest, args }) => {
        const { sent, accepted, objectBack, textBack } = roundTrip(manifest, target, strict, args);
        if (!accepted) return [`${manifest.name} refused ${JSON.stringify(sent)}`];
        const same =
          JSON.stringify(objectBack) === JSON.stringify(args) &&
          JSON.stringify(textBack) === JSON.stringify(args);
        return same ? [] : [`${manifest.name}: ${JSON.stringify(args)} became ${JSON.stringify(objectBack)}`];
      });
      expect(lost).toEqual([]);
    });
  });
});

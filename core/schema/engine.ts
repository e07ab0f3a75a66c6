import { _, Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Budget } from './budget.ts';
import type { Dialect } from './dialect.ts';
import { FORMATS } from './formats.ts';
import { meterSchema, STEP } from './metered-schema.ts';
import { compilePattern } from './pattern.ts';
import { tellBranchesApart } from './unions.ts';
import { findDuplicate } from './unique.ts';

/** `verdict` stops at the first error; `details` finds all of them and is only asked once there is one. */
export type EngineMode = 'verdict' | 'details';

const ENGINES = { 'draft-07': Ajv, '2019-09': Ajv2019, '2020-12': Ajv2020 } as const;

const OPTIONS: Options = {
  // The schema has been read by normaliseSchema, which is stricter and says where.
  strict: false,
  validateSchema: false,
  logger: false,
  messages: false,
  ownProperties: true,
  // 0.3 is a multiple of 0.1.
  multipleOfPrecision: 9,
  // A schema with many references must not grow to their product.
  inlineRefs: false,
  // References to a meta-schema are refused like all that lead outside.
  meta: false,
};

/** Compiles a normalised schema in an engine of its own, so that no `$id` of another version is in the way. */
export function compileSchema(
  schema: Readonly<Record<string, unknown>>,
  dialect: Dialect,
  mode: EngineMode,
  budget: Budget,
): ValidateFunction {
  const regExp = Object.assign((source: string) => meteredPattern(source, budget), { code: 'linear' });
  const details = mode === 'details';
  const ajv = new ENGINES[dialect]({
    ...OPTIONS,
    allErrors: details,
    verbose: details,
    // ajv's optimiser is quadratic in the size of the schema.
    code: { regExp, optimize: false },
  });
  // Else the format "constructor" would be Object.
  Object.setPrototypeOf(ajv.formats, null);
  for (const [name, format] of FORMATS) ajv.addFormat(name, meteredFormat(format, budget));
  addStep(ajv, budget);
  replaceUniqueItems(ajv, budget);
  if (details) tellBranchesApart(ajv);
  // meterSchema of an object is an object.
  return ajv.compile(meterSchema(schema) as Record<string, unknown>);
}

function meteredPattern(source: string, budget: Budget) {
  const compiled = compilePattern(source);
  // normaliseSchema has refused these with their path.
  if (!compiled.ok) throw new Error(`the pattern ${compiled.reason}`);
  const { pattern } = compiled;
  const factor = 1 + pattern.size / 500;
  return {
    test: (text: string): boolean => {
      budget.spend(1 + Math.ceil((text.length / 4) * factor));
      return pattern.test(text);
    },
    // ajv keeps patterns by this text.
    toString: (): string => JSON.stringify(source),
  };
}

function meteredFormat(format: ReturnType<typeof FORMATS.get> & {}, budget: Budget) {
  if (format.type === 'number') return { type: 'number', validate: format.check } as const;
  const validate = (text: string): boolean => {
    budget.spend(1 + (text.length >> 1));
    return format.check(text);
  };
  return { type: 'string', validate } as const;
}

/** Counts before anything else is checked: what comes after a failing keyword doesn't run. */
function addStep(ajv: Ajv, budget: Budget): void {
  ajv.addKeyword({
    keyword: STEP,
    schemaType: 'number',
    code: ({ gen, schema, data }) => {
      const counter = gen.scopeValue('obj', { ref: budget });
      gen.code(_`${counter}.enter(${schema}, ${data})`);
    },
  });
  const { rules, all } = ajv.RULES;
  const step = all[STEP];
  if (typeof step !== 'object') throw new Error('ajv no longer lists its keywords by name');
  for (const group of rules) group.rules = group.rules.filter((rule) => rule !== step);
  rules.unshift({ rules: [step] });
}

/** ajv's own compares each item with each other one. */
function replaceUniqueItems(ajv: Ajv, budget: Budget): void {
  const unique = (wanted: unknown, items: readonly unknown[]): boolean => {
    const found = wanted === true ? findDuplicate(items, (steps) => budget.spend(steps)) : undefined;
    if (found) unique.errors = [{ keyword: 'uniqueItems', params: { i: found[0], j: found[1] } }];
    return found === undefined;
  };
  unique.errors = [] as Partial<ErrorObject>[];
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: true,
    validate: unique,
  });
}

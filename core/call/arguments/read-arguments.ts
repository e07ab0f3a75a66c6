import type { Tool } from '../../catalog/tool.ts';
import type { JsonSchema } from '../../plugin/manifest.ts';
import type { Validator } from '../call.ts';
import { toolError } from '../errors/error-table.ts';
import { type Eventually, whenThere } from '../eventually.ts';
import type { Catalogue } from '../messages/catalogue.ts';
import type { Issue, Repair, ToolError } from '../result.ts';
import { applyDefaults } from './apply-defaults.ts';
import { type ExactJson, toPlainJson, writeExact } from './exact-json.ts';
import { formatPath } from './format-path.ts';
import { type ArgumentProblem, parseArguments } from './parse-arguments.ts';
import { type FoundRepair, repairArguments } from './repair-arguments.ts';

export interface ReadArguments {
  /** What runs: the model's own text, byte for byte, unless something had to be changed. */
  readonly json: string;
  /** The same as a value, in doubles. */
  readonly value: Readonly<Record<string, unknown>>;
}

export type ArgumentsAnswer = { readonly repairs: readonly Repair[] } & (
  | { readonly ok: true; readonly read: ReadArguments }
  | { readonly ok: false; readonly error: ToolError }
);

export interface ArgumentsInput {
  readonly arguments: unknown;
  readonly finishReason?: string | undefined;
}

/** Parses, repairs and validates. What is valid is left alone; what is ambiguous is refused. */
export function readArguments(
  tool: Tool,
  validator: Validator,
  input: ArgumentsInput,
  catalogue: Catalogue,
): Eventually<ArgumentsAnswer> {
  const about = { tool: tool.manifest.name };
  const parsed = parseArguments(input.arguments, input.finishReason);
  switch (parsed.kind) {
    case 'cut':
      return { ok: false, repairs: [], error: toolError(catalogue, 'truncated_arguments', about) };
    case 'malformed':
      return {
        ok: false,
        repairs: [],
        error: toolError(catalogue, 'malformed_arguments', { ...about, problem: parsed.problem }),
      };
    case 'wrong': {
      const issues = [issueOf(parsed.problem, catalogue)];
      return { ok: false, repairs: [], error: toolError(catalogue, 'invalid_arguments', about, { issues }) };
    }
  }
  const settled = settle(tool, validator, parsed.value);
  const repairs = [...parsed.repairs, ...settled.repairs].map((found) => describeRepair(found, catalogue));
  const plain = toPlainJson(settled.value) as Readonly<Record<string, unknown>>; // the root stays an object
  const checked = settled.issues.length > 0 ? settled.issues : (tool.check?.(plain) ?? []);
  return whenThere(checked, (issues): ArgumentsAnswer => {
    if (issues.length > 0)
      return { ok: false, repairs, error: toolError(catalogue, 'invalid_arguments', about, { issues }) };
    const json = settled.value === parsed.value ? parsed.text : writeExact(settled.value);
    return { ok: true, repairs, read: { json, value: plain } };
  });
}

interface Settled {
  readonly value: ExactJson;
  readonly repairs: readonly FoundRepair[];
  readonly issues: readonly Issue[];
}

function settle({ manifest: { parameters } }: Tool, validator: Validator, value: ExactJson): Settled {
  const validate = (candidate: ExactJson): readonly Issue[] => validator.validate(toPlainJson(candidate));
  let settled: Settled = { value, repairs: [], issues: validate(value) };
  if (settled.issues.length > 0) {
    const { value: repaired, repairs } = repairArguments(parameters, value);
    if (repairs.length > 0) settled = { value: repaired, repairs, issues: validate(repaired) };
  }
  return fillDefaults(parameters, settled, validate);
}

/** A default that is itself wrong is the author's mistake: it is left out, for the model did nothing wrong. */
function fillDefaults(
  parameters: JsonSchema,
  settled: Settled,
  validate: (value: ExactJson) => readonly Issue[],
): Settled {
  const filled = applyDefaults(parameters, settled.value);
  if (filled.applied.length === 0) return settled;
  const issues = validate(filled.value);
  const wrong = filled.applied.filter((place) => issues.some(({ path }) => isWithin(path, place)));
  if (wrong.length === 0) {
    return issues.length > 0 && settled.issues.length === 0
      ? settled
      : { ...settled, value: filled.value, issues };
  }
  const { value } = applyDefaults(parameters, settled.value, new Set(wrong));
  return { ...settled, value, issues: validate(value) };
}

function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}.`) || path.startsWith(`${place}[`);
}

function issueOf(problem: ArgumentProblem, catalogue: Catalogue): Issue {
  const path = 'path' in problem ? formatPath(problem.path) : '';
  const message = catalogue.argumentProblem(problem, path);
  if (problem.kind === 'not_an_object')
    return { path, keyword: 'type', message, expected: 'object', received: problem.received };
  return { path, keyword: 'json', message };
}

function describeRepair({ path, kind }: FoundRepair, catalogue: Catalogue): Repair {
  const written = formatPath(path);
  return { path: written, kind, message: catalogue.repair(kind, written) };
}

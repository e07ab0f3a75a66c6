import { nameSome } from '../name-some.ts';
import type { Manifest } from '../plugin/manifest.ts';
import { prepareTool } from './export.ts';
import { checkSchema } from './legal.ts';
import { isLegalName, legalNames } from './names.ts';
import { TARGET_RULES, TARGETS, type Target } from './targets.ts';

export interface ToolProblem {
  /** Empty for a problem of the whole list. */
  readonly tool: string;
  /** The target that would refuse the tool as it is written; absent for what no target likes. */
  readonly target?: Target;
  /** JSON Pointer into `parameters`, or the field of schema.json. */
  readonly path: string;
  readonly message: string;
  /** What the export makes of it. `warning`: the tool works, but the model loses something. */
  readonly level: 'handled' | 'warning';
}

export interface LintOptions {
  /** @defaultValue all */
  readonly targets?: readonly Target[];
  /** Say also which tools can't be strict, and why. @defaultValue true */
  readonly strict?: boolean;
}

/** All problems of all tools at once, each with the target that would refuse the tool as it is written. */
export function lintTools(manifests: readonly Manifest[], options: LintOptions = {}): ToolProblem[] {
  const targets = options.targets ?? TARGETS;
  const problems: ToolProblem[] = [...sameNames(manifests)];
  for (const manifest of manifests) {
    if (manifest.description.trim() === '') {
      const message = 'a tool without a description is called badly or not at all';
      problems.push({ tool: manifest.name, path: 'description', message, level: 'warning' });
    }
    for (const target of targets) {
      problems.push(...nameProblems(manifest, target), ...schemaProblems(manifest, target));
      if (options.strict !== false) problems.push(...strictProblems(manifest, target));
    }
  }
  for (const target of targets) problems.push(...listProblems(manifests, target));
  return problems;
}

function sameNames(manifests: readonly Manifest[]): ToolProblem[] {
  const seen = new Set<string>();
  const twice = manifests.filter(({ name }) => seen.size === seen.add(name).size);
  const message = 'another tool has this name; only the first is exported';
  return twice.map(({ name }) => ({ tool: name, path: 'name', message, level: 'warning' }));
}

function nameProblems(manifest: Manifest, target: Target): ToolProblem[] {
  const { toolName, title, descriptionChars } = TARGET_RULES[target];
  const problems: ToolProblem[] = [];
  if (!isLegalName(manifest.name, toolName)) {
    const exported = legalNames([manifest.name], toolName).get(manifest.name);
    const message = `${title}: this name is refused; it is exported as ${exported}`;
    problems.push({ tool: manifest.name, target, path: 'name', message, level: 'handled' });
  }
  if (descriptionChars !== undefined && manifest.description.length > descriptionChars) {
    const message = `${title}: a description of more than ${descriptionChars} characters is refused; the rest goes to the schema's`;
    problems.push({ tool: manifest.name, target, path: 'description', message, level: 'handled' });
  }
  return problems;
}

/** Gemini's own dialect differs in every node, so there the export's notes say what it can't take. */
function schemaProblems(manifest: Manifest, target: Target): ToolProblem[] {
  const base = { tool: manifest.name, target, level: 'handled' } as const;
  const { title } = TARGET_RULES[target];
  if (target === 'gemini') {
    const notes = prepareTool(manifest, target, false).notes;
    return notes.map(({ message }) => ({ ...base, path: '', message: `${title}: ${message}` }));
  }
  const found = checkSchema(manifest.parameters, target);
  return found.map(({ path, message }) => ({ ...base, path, message: `${title}: ${message}` }));
}

function strictProblems(manifest: Manifest, target: Target): ToolProblem[] {
  if (TARGET_RULES[target].strict === undefined) return [];
  const notes = prepareTool(manifest, target, true).notes.filter((note) => note.kind === 'not_strict');
  return notes.map(({ message }) => ({ tool: manifest.name, target, path: '', message, level: 'warning' }));
}

function listProblems(manifests: readonly Manifest[], target: Target): ToolProblem[] {
  const { title, tools, toolName } = TARGET_RULES[target];
  const problems: ToolProblem[] = [];
  if (tools !== undefined && manifests.length > tools) {
    const message = `${title}: ${tools} tools are the most, and these are ${manifests.length}; use a view, or search_tools`;
    problems.push({ tool: '', target, path: '', message, level: 'warning' });
  }
  const forms = new Map<string, string[]>();
  for (const { name } of manifests) {
    const form = legalNames([name], toolName).get(name) ?? name;
    forms.set(form, [...(forms.get(form) ?? []), name]);
  }
  for (const [form, names] of forms) {
    const different = [...new Set(names)];
    if (different.length < 2) continue;
    const message = `${title}: ${nameSome(different)} all become ${form}; each changed one gets a suffix`;
    problems.push({ tool: different[0] ?? '', target, path: 'name', message, level: 'handled' });
  }
  return problems;
}

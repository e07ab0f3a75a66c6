import type { PromptArgument } from '../catalog/offer.ts';
import type { Warning } from '../plugin/manifest.ts';
import { isPluginName } from '../plugin/plugin-name.ts';
import type { LoadProblem } from '../plugin/problem.ts';
import { isValues } from '../resources/read-resource.ts';
import { kindOf, show } from '../schema/findings.ts';
import { isRecord, printPath } from '../schema/pointer.ts';
import { findSimilar } from '../schema/similar.ts';
import { type FrontMatter, readFrontMatter } from './front-matter.ts';
import { ARGUMENT_NAME, type MessageTemplate, readTemplate } from './template.ts';

export const PROMPT_FILE = 'prompt.md';
export const MAX_PROMPT_BYTES = 262_144;
const KEYS = ['name', 'title', 'description', 'arguments'];
const ARGUMENT_KEYS = ['name', 'title', 'description', 'required', 'values'];
const MAX_ARGUMENTS = 64;

/** prompt.md, read and checked. */
export interface PromptManifest {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
  readonly messages: readonly MessageTemplate[];
}

export type PromptReading =
  | { readonly ok: true; readonly manifest: PromptManifest; readonly warnings: readonly Warning[] }
  | { readonly ok: false; readonly problems: readonly LoadProblem[] };

/** Reads the untrusted text of a prompt.md: all problems at once, each with its line. */
export async function readPrompt(text: string, defaults: { readonly name: string }): Promise<PromptReading> {
  const head = await readFrontMatter(text);
  if (!head.ok) {
    const { ok: _, ...problem } = head;
    return { ok: false, problems: [{ file: PROMPT_FILE, ...problem }] };
  }
  const reader = new HeadReader(head.positionOf);
  const manifest = reader.read(head.values, defaults.name);
  const names = manifest.arguments.map(({ name }) => name);
  const { messages, used, problems } = readTemplate(head.body, head.bodyLine, names, PROMPT_FILE);
  // With a wrong head the places can't be judged.
  const all = reader.problems.length > 0 ? reader.problems : problems;
  if (all.length > 0) return { ok: false, problems: all };
  const warnings = names
    .filter((name) => !used.has(name))
    .map((name) => ({ path: '/arguments', message: `the text has no place {{${name}}}` }));
  if (manifest.description.trim() === '')
    warnings.push({ path: '/description', message: 'is missing: people and models choose a prompt by it' });
  return { ok: true, manifest: { ...manifest, messages }, warnings };
}

type Path = readonly (string | number)[];
type PositionOf = Extract<FrontMatter, { ok: true }>['positionOf'];

class HeadReader {
  readonly problems: LoadProblem[] = [];
  readonly #positionOf: PositionOf;

  constructor(positionOf: PositionOf) {
    this.#positionOf = positionOf;
  }

  read(values: Readonly<Record<string, unknown>>, defaultName: string): Omit<PromptManifest, 'messages'> {
    this.#checkKeys(values, KEYS, []);
    const name = this.#text(values, 'name', []) ?? defaultName;
    if (!isPluginName(name)) this.#wrong(['name'], 'must be at most 128 printable characters');
    const title = this.#text(values, 'title', []);
    return {
      name,
      description: this.#text(values, 'description', []) ?? '',
      arguments: this.#arguments(values.arguments),
      ...(title === undefined ? {} : { title }),
    };
  }

  #arguments(value: unknown): readonly PromptArgument[] {
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) {
      this.#wrong(['arguments'], `must be a list of "- name: ..." entries, not ${kindOf(value)}`);
      return [];
    }
    if (value.length > MAX_ARGUMENTS) {
      this.#wrong(['arguments'], `has more than ${MAX_ARGUMENTS} entries`);
      return [];
    }
    const read: PromptArgument[] = [];
    for (const [index, entry] of value.entries()) {
      const argument = this.#argument(entry, ['arguments', index]);
      if (argument === undefined) continue;
      if (read.some(({ name }) => name === argument.name))
        this.#wrong(['arguments', index], `has the name "${argument.name}" a second time`);
      read.push(argument);
    }
    return read;
  }

  #argument(entry: unknown, at: Path): PromptArgument | undefined {
    // A bare name is the shortest way to write one.
    const values = typeof entry === 'string' ? { name: entry } : entry;
    if (!isRecord(values)) return this.#wrong(at, `must have a "name"; it is ${kindOf(entry)}`);
    this.#checkKeys(values, ARGUMENT_KEYS, at);
    const name = this.#text(values, 'name', at);
    if (name === undefined) return values.name === undefined ? this.#wrong(at, 'needs a "name"') : undefined;
    if (!ARGUMENT_NAME.test(name) || name === '__proto__')
      return this.#wrong([...at, 'name'], `must be letters, digits, "_", "." and "-"; it is ${show(name)}`);
    const { required, values: given } = values;
    if (required !== undefined && typeof required !== 'boolean')
      this.#wrong([...at, 'required'], `must be true or false; it is ${show(required)}`);
    // Numbers are written without quotes in YAML, and meant as text.
    const list = Array.isArray(given)
      ? given.map((each) => (typeof each === 'number' ? String(each) : each))
      : given;
    if (list !== undefined && !isValues(list))
      this.#wrong([...at, 'values'], 'must be a list of at most 1000 texts of at most 500 characters');
    const title = this.#text(values, 'title', at);
    const description = this.#text(values, 'description', at);
    return {
      name,
      required: required === true,
      values: isValues(list) ? list : [],
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
    };
  }

  #text(values: Readonly<Record<string, unknown>>, key: string, at: Path): string | undefined {
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    if (value === undefined || typeof value === 'string') return value;
    return this.#wrong([...at, key], `must be text, not ${kindOf(value)}; put it in quotes`);
  }

  #checkKeys(values: Readonly<Record<string, unknown>>, known: readonly string[], at: Path): void {
    for (const key of Object.keys(values)) {
      if (known.includes(key)) continue;
      const meant = findSimilar(key, known);
      const hint = meant === undefined ? `known are ${known.join(', ')}` : `did you mean "${meant}"?`;
      this.#wrong([...at, key], `is an unknown key; ${hint}`);
    }
  }

  #wrong(at: Path, message: string): undefined {
    const place = this.#positionOf(at) ?? this.#positionOf(at.slice(0, -1)) ?? {};
    if (this.problems.length < 50)
      this.problems.push({ file: PROMPT_FILE, ...place, message: `${printPath(at)}: ${message}` });
    return undefined;
  }
}

import { type Exported, type ExportOptions, exportTools, type ToolForms } from '../adapters/export.ts';
import type { Target } from '../adapters/targets.ts';
import type { CallResult } from '../call/result.ts';
import { namePattern } from '../permissions/name-pattern.ts';
import { SEARCH_TOOL_NAME } from './search.ts';
import type { Tool } from './tool.ts';
import type { View } from './view.ts';

const DEFAULT_DEFER_ABOVE = 40;
const DEFAULT_MAX_LOADED = 40;

export interface ToolsetOptions {
  /** Up to this many tools all are listed; above it only `keep`, `search_tools` and what was found. @defaultValue 40 */
  readonly deferAbove?: number;
  /** Name patterns of tools that are always listed. */
  readonly keep?: readonly string[];
  /** Most found tools listed at once; the oldest go first. @defaultValue 40 */
  readonly maxLoaded?: number;
}

/**
 * What one conversation lists of a view. A large view is deferred: its tools are found with `search_tools` and then
 * appended, so the head of the list, and with it the provider's prompt cache, stays as it was.
 */
export class Toolset {
  readonly #view: View;
  readonly #deferAbove: number;
  readonly #maxLoaded: number;
  readonly #keep: (name: string) => boolean;
  readonly #loaded = new Set<string>();

  constructor(view: View, options: ToolsetOptions = {}) {
    this.#view = view;
    this.#deferAbove = options.deferAbove ?? DEFAULT_DEFER_ABOVE;
    this.#maxLoaded = options.maxLoaded ?? DEFAULT_MAX_LOADED;
    const patterns = (options.keep ?? []).map(namePattern);
    this.#keep = (name) => name === SEARCH_TOOL_NAME || patterns.some((pattern) => pattern.matches(name));
  }

  /** A view without `search_tools` is never deferred: nothing in it could be found. */
  get deferred(): boolean {
    return this.#view.list().length > this.#deferAbove && this.#view.has(SEARCH_TOOL_NAME);
  }

  /** May it be called? Whatever the view shows may be, listed yet or not. */
  has(name: string): boolean {
    return this.#view.has(name);
  }

  /** Every tool that may be called, listed yet or not. */
  list(): readonly Tool[] {
    return this.#view.list();
  }

  names(): readonly string[] {
    return this.#view.names();
  }

  listed(): readonly Tool[] {
    if (!this.deferred) return this.#view.list();
    const kept = this.#view.list().filter((tool) => this.#keep(tool.manifest.name));
    const loaded = [...this.#loaded].map((name) => this.#view.get(name)).filter((tool) => tool !== undefined);
    return [...kept, ...loaded];
  }

  load(names: readonly string[]): void {
    for (const name of names) {
      if (this.#view.has(name) && !this.#keep(name)) this.#loaded.add(name);
    }
    for (const name of this.#loaded) {
      if (this.#loaded.size <= this.#maxLoaded) break;
      this.#loaded.delete(name);
    }
  }

  /** Reads the answer of a `search_tools` call and lists what it found. */
  observe(name: string, result: CallResult): void {
    if (name !== SEARCH_TOOL_NAME || !result.ok || !Array.isArray(result.value)) return;
    this.load(result.value.map((found) => found?.name).filter((found) => typeof found === 'string'));
  }

  export<Name extends Target>(target: Name, options: ExportOptions = {}): Exported<ToolForms[Name]> {
    if (!this.deferred) return this.#view.export(target, options);
    const manifests = this.listed().map((tool) => tool.manifest);
    return exportTools(manifests, target, options);
  }
}

import type { PreparedTool } from './export.ts';

export interface RestoredCall {
  /** The tool's own name; an unknown name is handed through, so that the host can say "did you mean". */
  readonly name: string;
  /** Arguments in the tool's own form: keys renamed back, synthetic nulls gone. Text stays text. */
  readonly arguments: unknown;
}

/** The way back from an export: what a model calls, in the tool's own words. */
export class ToolMapping {
  readonly #exported: ReadonlyMap<string, string>;
  readonly #own = new Map<string, string>();
  readonly #tools = new Map<string, PreparedTool>();

  constructor(names: ReadonlyMap<string, string>, tools: readonly PreparedTool[]) {
    this.#exported = names;
    for (const [own, exported] of names) this.#own.set(exported, own);
    for (const tool of tools) this.#tools.set(tool.manifest.name, tool);
  }

  /** The exported name of a tool, or undefined where it isn't in this export. */
  exportedName(name: string): string | undefined {
    return this.#exported.get(name);
  }

  /** The tool's own name, or undefined where no exported tool is called that. */
  toolName(exported: string): string | undefined {
    return this.#own.get(exported);
  }

  isStrict(name: string): boolean {
    return this.#tools.get(name)?.strict === true;
  }

  /** Undoes the export for one call by a model. Never throws; broken argument text comes back untouched. */
  restore(exported: string, args: unknown): RestoredCall {
    // Error texts speak of tools by their own names, so a model may well call them by those.
    const name = this.#own.get(exported) ?? exported;
    return { name, arguments: this.#tools.get(name)?.restorer.restore(args) ?? args };
  }

  /** The other direction, for examples and for history: a tool's own call as a model would have made it. */
  encode(name: string, args: unknown): RestoredCall {
    return {
      name: this.#exported.get(name) ?? name,
      arguments: this.#tools.get(name)?.restorer.encode(args) ?? args,
    };
  }
}

import { type Exported, type ExportOptions, exportTools, type ToolForms } from '../adapters/export.ts';
import type { Target } from '../adapters/targets.ts';
import { compareText } from '../compare-text.ts';
import { namePattern } from '../permissions/name-pattern.ts';
import { checkSelection } from './check-selection.ts';
import type { Tool } from './tool.ts';

/** Which tools a session or a turn may see. Nothing set: all of them. */
export interface Selection {
  /** Name patterns; `*` stands for any characters (`github.*`). Absent: every name. */
  readonly allow?: readonly string[];
  /** Name patterns; what is denied is not seen, whatever allows it. */
  readonly deny?: readonly string[];
  /** A tool must carry one of these. Absent: any tool. */
  readonly tags?: readonly string[];
  /** Most tools; the rest, by name, is left out. @defaultValue no bound */
  readonly max?: number;
}

/** Anything that lists tools: a catalog, another view. */
export interface ToolSource {
  list(): readonly Tool[];
}

/** The tools that one session may see: live (an edited tool shows its new version), ordered by name. */
export interface View extends ToolSource {
  /** May this tool be seen, by its own name? */
  has(name: string): boolean;
  get(name: string): Tool | undefined;
  names(): readonly string[];
  /** Names that `max` cut off. */
  omitted(): readonly string[];
  /** The `tools` array for a target's API: the same bytes while the tools stay the same, so that prompts stay cached. */
  tools<Name extends Target>(target: Name, options?: ExportOptions): ToolForms[Name][];
  /** As `tools`, with the mapping back and what had to be changed. */
  export<Name extends Target>(target: Name, options?: ExportOptions): Exported<ToolForms[Name]>;
  /**
   * Narrows a turn without touching the `tools` array: the value for `tool_choice` (OpenAI) or `toolConfig` (Gemini).
   * Undefined for targets that have no such thing: narrow the view itself there.
   */
  allowedTools<Name extends Target>(
    target: Name,
    turn: Selection,
    mode?: 'auto' | 'required',
  ): AllowedTools[Name];
  /**
   * A view of this view.
   *
   * @throws TypeError for a selection that is none.
   */
  narrow(selection: Selection): View;
}

export interface AllowedTools {
  readonly openai: {
    readonly type: 'allowed_tools';
    readonly allowed_tools: {
      readonly mode: 'auto' | 'required';
      readonly tools: { type: 'function'; function: { name: string } }[];
    };
  };
  readonly responses: {
    readonly type: 'allowed_tools';
    readonly mode: 'auto' | 'required';
    readonly tools: { type: 'function'; name: string }[];
  };
  readonly gemini: {
    readonly functionCallingConfig: {
      readonly mode: 'ANY' | 'VALIDATED';
      readonly allowedFunctionNames: string[];
    };
  };
  readonly anthropic: undefined;
  readonly mcp: undefined;
}

/** @throws TypeError for a selection that is none: a mistyped one must never show more than was meant. */
export function createView(source: ToolSource | readonly Tool[], selection: Selection = {}): View {
  checkSelection(selection);
  return new LiveView('list' in source ? source : { list: () => source }, selection);
}

interface Snapshot {
  /** What the source listed; the same array again means that nothing has changed. */
  readonly listed: readonly Tool[];
  readonly chosen: readonly Tool[];
  readonly tools: readonly Tool[];
  readonly byName: ReadonlyMap<string, Tool>;
  readonly omitted: readonly string[];
  readonly exports: Map<string, unknown>;
}

class LiveView implements View {
  readonly #source: ToolSource;
  readonly #accepts: (tool: Tool) => boolean;
  readonly #max: number;
  #snapshot: Snapshot | undefined;

  constructor(source: ToolSource, selection: Selection) {
    this.#source = source;
    this.#accepts = compileSelection(selection);
    this.#max = selection.max ?? Number.POSITIVE_INFINITY;
  }

  list(): readonly Tool[] {
    return this.#now().tools;
  }

  has(name: string): boolean {
    return this.#now().byName.has(name);
  }

  get(name: string): Tool | undefined {
    return this.#now().byName.get(name);
  }

  names(): readonly string[] {
    return this.#now().tools.map((tool) => tool.manifest.name);
  }

  omitted(): readonly string[] {
    return this.#now().omitted;
  }

  tools<Name extends Target>(target: Name, options: ExportOptions = {}): ToolForms[Name][] {
    return this.export(target, options).tools;
  }

  export<Name extends Target>(target: Name, options: ExportOptions = {}): Exported<ToolForms[Name]> {
    const { exports, tools } = this.#now();
    const key = `${target}${options.strict === true ? ' strict' : ''}`;
    const known = exports.get(key);
    if (known !== undefined) return known as Exported<ToolForms[Name]>; // cast: stored below under this very target
    const manifests = tools.map((tool) => tool.manifest);
    const exported = exportTools(manifests, target, options);
    exports.set(key, exported);
    return exported;
  }

  allowedTools<Name extends Target>(
    target: Name,
    turn: Selection,
    mode: 'auto' | 'required' = 'auto',
  ): AllowedTools[Name] {
    const { mapping } = this.export(target);
    const names = this.narrow(turn)
      .names()
      .map((name) => mapping.exportedName(name) ?? name);
    return choices(names, mode)[target];
  }

  narrow(selection: Selection): View {
    checkSelection(selection);
    return new LiveView(this, selection);
  }

  #now(): Snapshot {
    const listed = this.#source.list();
    if (listed === this.#snapshot?.listed) return this.#snapshot;
    const chosen = listed
      .filter(this.#accepts)
      .sort((left, right) => compareText(left.manifest.name, right.manifest.name));
    const last = this.#snapshot;
    if (last !== undefined && sameList(last.chosen, chosen)) {
      this.#snapshot = { ...last, listed };
      return this.#snapshot;
    }
    const tools = chosen.slice(0, this.#max);
    const snapshot: Snapshot = {
      listed,
      chosen,
      tools,
      byName: new Map(tools.map((tool) => [tool.manifest.name, tool])),
      omitted: chosen.slice(tools.length).map((tool) => tool.manifest.name),
      exports: new Map(),
    };
    this.#snapshot = snapshot;
    return snapshot;
  }
}

function choices(names: readonly string[], mode: 'auto' | 'required'): AllowedTools {
  return {
    openai: {
      type: 'allowed_tools',
      allowed_tools: { mode, tools: names.map((name) => ({ type: 'function', function: { name } })) },
    },
    responses: { type: 'allowed_tools', mode, tools: names.map((name) => ({ type: 'function', name })) },
    gemini: {
      functionCallingConfig: {
        mode: mode === 'auto' ? 'VALIDATED' : 'ANY',
        allowedFunctionNames: [...names],
      },
    },
    anthropic: undefined,
    mcp: undefined,
  };
}

/** A function of the selection alone, so that the same selection always sees the same tools. */
export function compileSelection(selection: Selection): (tool: Tool) => boolean {
  const allow = selection.allow?.map(namePattern);
  const deny = (selection.deny ?? []).map(namePattern);
  const tags = selection.tags === undefined ? undefined : new Set(selection.tags);
  return ({ manifest: { name, tags: carried } }) => {
    if (deny.some((pattern) => pattern.matches(name))) return false;
    if (allow !== undefined && !allow.some((pattern) => pattern.matches(name))) return false;
    return tags === undefined || carried.some((tag) => tags.has(tag));
  };
}

function sameList(left: readonly Tool[], right: readonly Tool[]): boolean {
  return left.length === right.length && left.every((tool, index) => tool === right[index]);
}

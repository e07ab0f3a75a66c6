import { EventEmitter } from 'node:events';
import { compareText } from '../compare-text.ts';
import { warn } from '../guarded.ts';
import type { Warning } from '../plugin/manifest.ts';
import type { LoadProblem } from '../plugin/problem.ts';
import { idOf, type Kind, kindOf, nameOf, type Prompt, type Resource } from './offer.ts';
import type { Tool } from './tool.ts';

/** `broken`: its newest state can't run; `held`: it waits for consent. Either may still serve an older version. */
export type EntryState = 'ready' | 'broken' | 'held';

export interface CatalogEntry {
  /** Unique within its kind. */
  readonly name: string;
  readonly kind: Kind;
  readonly state: EntryState;
  /** What serves calls now: with `broken` and `held` the last good version, if there is one. */
  readonly tool?: Tool;
  /** In place of `tool` where `kind` is `resource`. */
  readonly resource?: Resource;
  /** In place of `tool` where `kind` is `prompt`. */
  readonly prompt?: Prompt;
  readonly version?: string;
  readonly problems: readonly LoadProblem[];
  readonly warnings: readonly Warning[];
  readonly origin: Tool['origin'];
  /** Directory of a plugin, absolute. */
  readonly dir?: string;
  /** How long its newest state took to load, milliseconds. */
  readonly loadMs?: number;
}

/** What is known of one source: a plugin directory, a function, a server. A `tool` with an `offer` is of that kind. */
export type SourceState =
  | { readonly kind: 'good'; readonly tool: Tool; readonly warnings?: readonly Warning[] }
  | {
      readonly kind: 'broken';
      /** The id: a tool's name, or `resource:guide`. */
      readonly name: string;
      /** What it would be. @defaultValue what it was, or a tool */
      readonly of?: Kind;
      readonly problems: readonly LoadProblem[];
    }
  | {
      readonly kind: 'held';
      readonly name: string;
      readonly of?: Kind;
      readonly problems: readonly LoadProblem[];
      /** What serves now is not consented to any more either: nothing serves. */
      readonly withdrawn?: boolean;
    }
  | { readonly kind: 'gone' };

export interface SourceUpdate {
  /** How long it took to load, milliseconds. */
  readonly loadMs?: number | undefined;
  /** Identifies the source for good: the directory, or `function:NAME`. */
  readonly source: string;
  readonly origin: Tool['origin'];
  /** Written by strangers: it never takes a name from a trusted tool. @defaultValue false */
  readonly stranger?: boolean;
  readonly state: SourceState;
}

export interface CatalogEvents {
  /** Something that `list()` shows has changed: entries of these kinds. */
  change: [kinds: ReadonlySet<Kind>];
  /** A source has a new version that serves, or a new problem. */
  update: [entry: CatalogEntry];
  remove: [name: string, kind: Kind];
  /** No lookup gives this version any more; calls that began with it go on. */
  retire: [tool: Tool];
}

interface Source {
  readonly key: string;
  readonly origin: Tool['origin'];
  readonly stranger: boolean;
  readonly kind: Kind;
  /** The id, which is one name for all kinds: a tool can't be taken for a resource, nor for one's consent. */
  name: string;
  tool: Tool | undefined;
  warnings: readonly Warning[];
  state: EntryState;
  problems: readonly LoadProblem[];
  loadMs: number | undefined;
  /** A new version under a name that another one serves: it comes into force when that is free. */
  waiting: { readonly tool: Tool; readonly warnings: readonly Warning[] } | undefined;
}

/** What one `apply` touches. */
interface Changes {
  /** Names that may be free now, or wanted. */
  readonly names: Set<string>;
  /** What each source served before. */
  readonly tools: Map<Source, Tool | undefined>;
  readonly sources: Set<Source>;
}

function note(source: Source, { names, tools }: Changes): void {
  names.add(source.name);
  if (!tools.has(source)) tools.set(source, source.tool);
}

/**
 * The registry of tools, resources and prompts by name. A lookup costs the same whatever the number of tools. A name that
 * two sources claim belongs to the one that served it before; when neither did, to none of them; a stranger's never
 * stands in the way of a trusted one. Both show the clash.
 */
export class Catalog extends EventEmitter<CatalogEvents> {
  readonly #sources = new Map<string, Source>();
  readonly #claims = new Map<string, Set<Source>>();
  readonly #serving = new Map<string, Source>();
  /** The tools among them, without a step in between: every call begins with a look in here. */
  readonly #callable = new Map<string, Tool>();
  /** Sources whose new version waits for a name. */
  readonly #waiting = new Set<Source>();
  #sorted: readonly CatalogEntry[] | undefined;
  #tools: readonly Tool[] | undefined;

  /** Whatever came in one go is judged in one go: two that clash in it have equal rights. */
  apply(updates: readonly SourceUpdate[]): void {
    const changes: Changes = { names: new Set(), tools: new Map(), sources: new Set() };
    for (const update of updates) this.#take(update, changes);
    // One that moves may free the name that another one waits for.
    while ([...this.#waiting].filter((source) => this.#letIn(source, changes)).length > 0);
    for (const name of changes.names) {
      this.#settle(name, changes);
      this.#expose(name);
    }
    this.#sorted = undefined;
    this.#tools = undefined;
    this.#announce(changes);
    this.#tell('change', new Set([...changes.sources, ...changes.tools.keys()].map(({ kind }) => kind)));
  }

  /** The tool that serves this name now. */
  lookup(name: string): Tool | undefined {
    return this.#callable.get(name);
  }

  /** What stands behind the resource or prompt that serves this name now. */
  lookupOffer(kind: Exclude<Kind, 'tool'>, name: string): Tool | undefined {
    const source = this.#serving.get(idOf(kind, name));
    return source?.kind === kind ? source.tool : undefined;
  }

  /** Is this source registered? */
  has(source: string): boolean {
    return this.#sources.has(source);
  }

  get(name: string, kind: Kind = 'tool'): CatalogEntry | undefined {
    const id = idOf(kind, name);
    const serving = this.#serving.get(id);
    const claims = [...(this.#claims.get(id) ?? [])];
    const source = serving?.kind === kind ? serving : claims.find((claim) => claim.kind === kind);
    return source === undefined ? undefined : this.#entry(source);
  }

  /** All entries of all kinds, or of one, ordered by name. */
  list(kind?: Kind): readonly CatalogEntry[] {
    this.#sorted ??= [...this.#sources.values()].map((source) => this.#entry(source)).sort(compareEntries);
    return kind === undefined ? this.#sorted : this.#sorted.filter((entry) => entry.kind === kind);
  }

  /** The tools that serve, ordered by name; the same array until one of them changes. */
  tools(): readonly Tool[] {
    this.#tools ??= [...this.#serving.keys()].sort(compareText).flatMap((name) => this.lookup(name) ?? []);
    return this.#tools;
  }

  /** What stands behind the resources, or the prompts, that serve, ordered by name. */
  offers(kind: Exclude<Kind, 'tool'>): { readonly tool: Tool; readonly isStranger: boolean }[] {
    return [...this.#serving.values()]
      .filter((source) => source.kind === kind)
      .sort((one, other) => compareText(one.name, other.name))
      .flatMap(({ tool, stranger }) => (tool === undefined ? [] : [{ tool, isStranger: stranger }]));
  }

  #take({ source: key, origin, stranger = false, state, loadMs }: SourceUpdate, changes: Changes): void {
    const known = this.#sources.get(key);
    if (known !== undefined) note(known, changes);
    const kind = kindOfState(state) ?? known?.kind ?? 'tool';
    // What is of another kind now is another thing: the last good tool is no version of a prompt.
    const isOther = known !== undefined && known.kind !== kind;
    if (known !== undefined && (state.kind === 'gone' || isOther)) this.#drop(known);
    if (state.kind === 'gone') return;
    const old = isOther ? undefined : known;
    const name = state.kind !== 'good' && old?.tool === undefined ? state.name : (old?.name ?? '');
    const source: Source = old ?? {
      ...{ key, origin, stranger, kind, name, tool: undefined, waiting: undefined },
      ...{ warnings: [], state: 'broken', problems: [], loadMs },
    };
    this.#sources.set(key, source);
    changes.sources.add(source);
    source.loadMs = loadMs;
    source.waiting = undefined;
    this.#waiting.delete(source);
    if (state.kind === 'good') {
      source.waiting = { tool: state.tool, warnings: state.warnings ?? [] };
      this.#waiting.add(source);
      return;
    }
    this.#rename(source, name, changes);
    source.state = state.kind;
    source.problems = state.problems;
    if (state.kind === 'held' && state.withdrawn === true) {
      source.tool = undefined;
      if (this.#serving.get(name) === source) this.#serving.delete(name);
    }
  }

  #drop(source: Source): void {
    this.#sources.delete(source.key);
    this.#unclaim(source);
    source.tool = undefined;
    source.waiting = undefined;
    this.#waiting.delete(source);
  }

  /** A version comes into force at once, unless that would take its source's last good version away for a mere clash. */
  #letIn(source: Source, changes: Changes): boolean {
    if (source.waiting === undefined) return false;
    const { tool, warnings } = source.waiting;
    const { name } = tool.manifest;
    const holder = this.#serving.get(name);
    const isTaken = holder !== undefined && (!holder.stranger || source.stranger);
    if (source.tool !== undefined && source.name !== name && isTaken) {
      const message = `the new name "${name}" belongs to ${holder.key}, so ${source.key} goes on as "${source.name}". Rename one.`;
      source.state = 'broken';
      source.problems = [{ message }];
      return false;
    }
    note(source, changes);
    changes.sources.add(source);
    this.#rename(source, name, changes);
    source.tool = tool;
    source.warnings = warnings;
    source.state = 'ready';
    source.problems = [];
    source.waiting = undefined;
    this.#waiting.delete(source);
    return true;
  }

  #rename(source: Source, name: string, changes: Changes): void {
    if (source.name !== name) this.#unclaim(source);
    source.name = name;
    changes.names.add(name);
    this.#claims.set(name, (this.#claims.get(name) ?? new Set()).add(source));
  }

  #unclaim(source: Source): void {
    const claims = this.#claims.get(source.name);
    claims?.delete(source);
    if (claims?.size === 0) this.#claims.delete(source.name);
    if (this.#serving.get(source.name) === source) this.#serving.delete(source.name);
  }

  #settle(name: string, changes: Changes): void {
    const able = [...(this.#claims.get(name) ?? [])].filter((source) => source.tool !== undefined);
    const trusted = able.filter((source) => !source.stranger);
    const before = this.#serving.get(name);
    if (before !== undefined && (!before.stranger || trusted.length === 0)) return;
    const rightful = trusted.length > 0 ? trusted : able;
    const [only] = rightful;
    if (only === undefined || rightful.length !== 1) return;
    this.#serving.set(name, only);
    changes.sources.add(only);
    if (before !== undefined) changes.sources.add(before);
  }

  #expose(name: string): void {
    const { kind, tool } = this.#serving.get(name) ?? {};
    if (kind === 'tool' && tool !== undefined) this.#callable.set(name, tool);
    else this.#callable.delete(name);
  }

  #announce({ sources, tools }: Changes): void {
    for (const [source, tool] of tools) {
      if (tool === undefined || source.tool === tool) continue;
      this.#tell('retire', tool);
      if (this.#sources.get(source.key) !== source)
        this.#tell('remove', nameOf(source.kind, tool.manifest.name), source.kind);
    }
    for (const source of sources)
      if (this.#sources.get(source.key) === source) this.#tell('update', this.#entry(source));
  }

  /** A listener that fails is its owner's trouble: the others still hear, and the registry stays whole. */
  #tell<Name extends keyof CatalogEvents>(event: Name, ...passed: CatalogEvents[Name]): void {
    try {
      // The tuple belongs to the event, which the emitter's own type can't see through the type parameter.
      this.emit(event, ...(passed as never));
    } catch (error) {
      warn(error);
    }
  }

  #entry(source: Source): CatalogEntry {
    const { key, name, kind, origin, tool, warnings, loadMs } = source;
    const clash = this.#clash(source);
    const serves = this.#serving.get(name) === source;
    return {
      name: nameOf(kind, name),
      kind,
      state: clash === undefined ? source.state : serves ? source.state : 'broken',
      ...(serves && tool !== undefined ? { ...servingAs(tool), version: tool.version } : {}),
      problems: clash === undefined ? source.problems : [...source.problems, clash],
      warnings,
      origin,
      ...(origin === 'plugin' ? { dir: key } : {}),
      ...(loadMs === undefined ? {} : { loadMs }),
    };
  }

  #clash(source: Source): LoadProblem | undefined {
    const others = [...(this.#claims.get(source.name) ?? [])].filter((other) => other !== source);
    if (others.length === 0) return undefined;
    const serving = this.#serving.get(source.name);
    const outcome =
      serving === undefined
        ? 'neither is used'
        : serving === source
          ? 'this one serves'
          : `${serving.key} serves, ${serving.stranger === source.stranger ? 'which was there first' : 'which is trusted'}`;
    return {
      message: `the name "${source.name}" is claimed by ${source.key} and by ${others.map(({ key }) => key).join(' and ')}; ${outcome}. Rename one.`,
    };
  }
}

function kindOfState(state: SourceState): Kind | undefined {
  if (state.kind === 'gone') return undefined;
  return state.kind === 'good' ? kindOf(state.tool) : state.of;
}

function servingAs(tool: Tool): Pick<CatalogEntry, 'tool' | 'resource' | 'prompt'> {
  if (tool.offer === undefined) return { tool };
  return tool.offer.kind === 'resource' ? { resource: tool.offer } : { prompt: tool.offer };
}

function compareEntries(one: CatalogEntry, other: CatalogEntry): number {
  return (
    compareText(one.name, other.name) ||
    compareText(one.dir ?? '', other.dir ?? '') ||
    compareText(one.kind, other.kind)
  );
}

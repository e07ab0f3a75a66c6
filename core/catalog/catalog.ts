import { EventEmitter } from 'node:events';
import type { Warning } from '../plugin/manifest.ts';
import type { LoadProblem } from '../plugin/problem.ts';
import type { Tool } from './tool.ts';

/** `broken`: its newest state can't run; `held`: it waits for consent. Either may still serve an older version. */
export type EntryState = 'ready' | 'broken' | 'held';

export interface CatalogEntry {
  readonly name: string;
  readonly state: EntryState;
  /** What serves calls now: with `broken` and `held` the last good version, if there is one. */
  readonly tool?: Tool;
  readonly version?: string;
  readonly problems: readonly LoadProblem[];
  readonly warnings: readonly Warning[];
  readonly origin: Tool['origin'];
  /** Directory of a plugin, absolute. */
  readonly dir?: string;
}

/** What is known of one source of a tool: a plugin directory, a function, a server. */
export type SourceState =
  | { readonly kind: 'good'; readonly tool: Tool; readonly warnings?: readonly Warning[] }
  | { readonly kind: 'broken'; readonly name: string; readonly problems: readonly LoadProblem[] }
  | { readonly kind: 'held'; readonly name: string; readonly problems: readonly LoadProblem[] }
  | { readonly kind: 'gone' };

export interface SourceUpdate {
  /** Identifies the source for good: the directory, or `function:NAME`. */
  readonly source: string;
  readonly origin: Tool['origin'];
  readonly state: SourceState;
}

export interface CatalogEvents {
  /** Something that `list()` shows has changed. */
  change: [];
  /** A source has a new version that serves, or a new problem. */
  update: [entry: CatalogEntry];
  remove: [name: string];
  /** No lookup gives this version any more; calls that began with it go on. */
  retire: [tool: Tool];
}

interface Source {
  readonly key: string;
  readonly origin: Tool['origin'];
  name: string;
  tool: Tool | undefined;
  warnings: readonly Warning[];
  state: EntryState;
  problems: readonly LoadProblem[];
}

/**
 * The registry of tools by name. A lookup costs the same whatever the number of tools. A name that two sources claim
 * belongs to the one that served it before; when neither did, to none of them. Both show the clash.
 */
export class Catalog extends EventEmitter<CatalogEvents> {
  readonly #sources = new Map<string, Source>();
  readonly #claims = new Map<string, Set<Source>>();
  readonly #serving = new Map<string, Source>();
  #sorted: readonly CatalogEntry[] | undefined;

  /** Whatever came in one go is judged in one go: two that clash in it have equal rights. */
  apply(updates: readonly SourceUpdate[]): void {
    const touched = new Set<string>();
    const before = new Map(updates.map(({ source }) => [source, this.#sources.get(source)?.tool]));
    for (const update of updates) this.#take(update, touched);
    for (const name of touched) this.#settle(name);
    this.#sorted = undefined;
    this.#announce(updates, before);
    this.emit('change');
  }

  /** The tool that serves this name now. */
  lookup(name: string): Tool | undefined {
    return this.#serving.get(name)?.tool;
  }

  /** Is this source registered? */
  has(source: string): boolean {
    return this.#sources.has(source);
  }

  get(name: string): CatalogEntry | undefined {
    const claims = this.#claims.get(name);
    const source = this.#serving.get(name) ?? claims?.values().next().value;
    return source === undefined ? undefined : this.#entry(source);
  }

  /** All entries, ordered by name. */
  list(): readonly CatalogEntry[] {
    this.#sorted ??= [...this.#sources.values()]
      .map((source) => this.#entry(source))
      .sort((one, other) => compare(one.name, other.name) || compare(one.dir ?? '', other.dir ?? ''));
    return this.#sorted;
  }

  /** The tools that serve, ordered by name. */
  tools(): Tool[] {
    return [...this.#serving.keys()].sort(compare).flatMap((name) => this.lookup(name) ?? []);
  }

  #take({ source: key, origin, state }: SourceUpdate, touched: Set<string>): void {
    const old = this.#sources.get(key);
    if (old !== undefined) touched.add(old.name);
    if (state.kind === 'gone') {
      if (old !== undefined) this.#drop(old);
      return;
    }
    const name =
      state.kind === 'good' ? state.tool.manifest.name : old?.tool !== undefined ? old.name : state.name;
    touched.add(name);
    const next = old ?? { key, origin, name, tool: undefined, warnings: [], state: 'broken', problems: [] };
    if (next.name !== name) this.#unclaim(next);
    next.name = name;
    if (state.kind === 'good') {
      next.tool = state.tool;
      next.warnings = state.warnings ?? [];
    }
    next.state = state.kind === 'good' ? 'ready' : state.kind;
    next.problems = state.kind === 'good' ? [] : state.problems;
    this.#sources.set(key, next);
    this.#claims.set(name, (this.#claims.get(name) ?? new Set()).add(next));
  }

  #drop(source: Source): void {
    this.#sources.delete(source.key);
    this.#unclaim(source);
  }

  #unclaim(source: Source): void {
    const claims = this.#claims.get(source.name);
    claims?.delete(source);
    if (claims?.size === 0) this.#claims.delete(source.name);
    if (this.#serving.get(source.name) === source) this.#serving.delete(source.name);
  }

  #settle(name: string): void {
    if (this.#serving.has(name)) return;
    const able = [...(this.#claims.get(name) ?? [])].filter((source) => source.tool !== undefined);
    const [only] = able;
    if (only !== undefined && able.length === 1) this.#serving.set(name, only);
  }

  #announce(updates: readonly SourceUpdate[], before: ReadonlyMap<string, Tool | undefined>): void {
    for (const { source: key } of updates) {
      const source = this.#sources.get(key);
      const old = before.get(key);
      if (old !== undefined && source?.tool !== old) this.emit('retire', old);
      if (source === undefined) {
        if (old !== undefined) this.emit('remove', old.manifest.name);
      } else this.emit('update', this.#entry(source));
    }
  }

  #entry(source: Source): CatalogEntry {
    const { key, name, origin, tool, warnings } = source;
    const clash = this.#clash(source);
    const serves = this.#serving.get(name) === source;
    return {
      name,
      state: clash === undefined ? source.state : serves ? source.state : 'broken',
      ...(serves && tool !== undefined ? { tool, version: tool.version } : {}),
      problems: clash === undefined ? source.problems : [...source.problems, clash],
      warnings,
      origin,
      ...(origin === 'plugin' ? { dir: key } : {}),
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
          ? 'this one, which was there first, goes on serving'
          : `${serving.key}, which was there first, goes on serving`;
    return {
      message: `the name "${source.name}" is claimed by ${source.key} and by ${others.map(({ key }) => key).join(' and ')}; ${outcome}. Rename one.`,
    };
  }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

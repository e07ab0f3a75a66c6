import type { SourceState, SourceUpdate } from '../../../catalog/catalog.ts';
import type { Limits } from '../../../config/limits.ts';
import type { McpServerSettings } from '../../../config/mcp-servers.ts';
import { createRedactor, type Lock, printable, type Redactor } from '../../../permissions/index.ts';
import { namePattern } from '../../../permissions/name-pattern.ts';
import type { LoadProblem } from '../../../plugin/problem.ts';
import { stripAnsi } from '../../../strip-ansi.ts';
import { type RouteOptions, routeTo } from './address.ts';
import { CallSlots } from './call-slots.ts';
import { Connection } from './connection.ts';
import { admitTools, serverEntryName } from './consent.ts';
import { MOST_TOOLS, type ReadServerTool, readTools, type ServerTool } from './read-tools.ts';
import { createServerTool, type ToolServer } from './server-tool.ts';

/** Nothing serves that was not asked about. */
const NOT_ADMITTED = { admitted: false, text: 'it was not asked about', withdrawn: true } as const;

export interface McpServerOptions {
  readonly settings: McpServerSettings;
  readonly lock: Lock;
  readonly limits: Limits;
  readonly route: RouteOptions;
  readonly publish: (updates: readonly SourceUpdate[]) => void;
  readonly tell: (problem: LoadProblem) => void;
  /** Milliseconds before the first new start of a server that died; it doubles with each failure. @defaultValue 500 */
  readonly firstPauseMs?: number;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
/** A server that was up this long, milliseconds, begins anew with short pauses. */
const STABLE_MS = 30_000;
/** Lists are read at most this often, milliseconds, however often a server says that its list has changed. */
const RELIST_MS = 250;

type State =
  | { readonly kind: 'starting' }
  | { readonly kind: 'up'; readonly connection: Connection }
  /** It is started again after a pause. */
  | { readonly kind: 'down'; readonly reason: string }
  | { readonly kind: 'closed' };

/** One server: started, listed, followed, started again when it dies. Its tools stay in the catalogue meanwhile. */
export class McpServer implements ToolServer {
  readonly slots = new CallSlots();
  /** Resolves when the first start has come to something. */
  readonly settled: Promise<void>;
  redactor: Redactor = createRedactor([]);
  readonly #options: McpServerOptions;
  readonly #closing = new AbortController();
  #state: State = { kind: 'starting' };
  #changed = Promise.withResolvers<void>();
  readonly #living: Promise<void>;
  /** What the catalogue was told, by source. */
  readonly #published = new Map<string, string>();
  #listed: readonly ReadServerTool[] = [];
  #lastPublish: Promise<void> = Promise.resolve();
  #toldFailure: string | undefined;
  #relist: { readonly timer: NodeJS.Timeout } | undefined;

  constructor(options: McpServerOptions) {
    this.#options = options;
    const first = Promise.withResolvers<void>();
    this.settled = first.promise;
    this.#living = this.#live(first.resolve);
  }

  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  get name(): string {
    return this.#options.settings.name;
  }

  /** Is its first start still under way? */
  get isStarting(): boolean {
    return this.#state.kind === 'starting';
  }

  /** Why there is no tool of it; undefined while there is nothing wrong. */
  get trouble(): string | undefined {
    return this.#state.kind === 'down' ? this.#state.reason : undefined;
  }

  /** What it lists now that is usable, held or not. */
  tools(): readonly ServerTool[] {
    return this.#listed.flatMap((read) => (read.ok ? [read.tool] : []));
  }

  async connection(signal: AbortSignal): Promise<Connection | string> {
    for (;;) {
      const state = this.#state;
      if (state.kind === 'up') return state.connection;
      if (state.kind === 'closed') return 'the host is closing';
      if (state.kind === 'down') return `its server is not running: ${state.reason}`;
      const left = Promise.withResolvers<void>();
      const leave = (): void => left.resolve();
      signal.addEventListener('abort', leave, { once: true });
      await Promise.race([this.#changed.promise, left.promise]);
      signal.removeEventListener('abort', leave);
      if (signal.aborted) return 'its server has not started yet';
    }
  }

  doubt(connection: Connection): void {
    // A session over HTTP does not tell that it is gone; a new one does.
    if (this.#state.kind === 'up' && this.#state.connection === connection) void connection.close();
  }

  /** What was consented to may have changed. */
  async recheck(): Promise<void> {
    await this.#publishTools();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#relist?.timer);
    const state = this.#state;
    this.#enter({ kind: 'closed' });
    if (state.kind === 'up') await state.connection.close();
    await this.#living;
    await this.#lastPublish;
  }

  async #live(settled: () => void): Promise<void> {
    const { signal } = this.#closing;
    let failures = 0;
    while (!signal.aborted) {
      let upSince: number | undefined;
      let reason: string;
      try {
        const connection = await this.#start();
        upSince = performance.now();
        this.#enter({ kind: 'up', connection });
        this.#toldFailure = undefined;
        settled();
        reason = await connection.closed;
      } catch (error) {
        reason = error instanceof Error ? error.message : 'unknown reason';
      }
      if (signal.aborted) break;
      const wasStable = upSince !== undefined && performance.now() - upSince > STABLE_MS;
      failures = wasStable ? 1 : failures + 1;
      this.#fail(reason);
      settled();
      await this.#pause(failures);
      if (!signal.aborted) this.#enter({ kind: 'starting' });
    }
    settled();
  }

  async #start(): Promise<Connection> {
    const { settings, route: routeOptions } = this.#options;
    const routed = await routeTo(settings, routeOptions);
    if (!routed.ok) throw new Error(routed.message);
    const { route } = routed;
    this.redactor = createRedactor(route.secrets);
    const late = AbortSignal.timeout(settings.startTimeoutMs);
    const signal = AbortSignal.any([late, this.#closing.signal]);
    let connection: Connection | undefined;
    try {
      connection = await Connection.open({
        route,
        signal,
        timeoutMs: settings.startTimeoutMs,
        onToolsChanged: () => this.#scheduleRelist(),
      });
      await this.#list(connection, signal);
      return connection;
    } catch (error) {
      await connection?.close();
      if (!late.aborted) throw error;
      throw new Error(`it did not get ready within ${settings.startTimeoutMs} ms`, { cause: error });
    }
  }

  async #list(connection: Connection, signal: AbortSignal): Promise<void> {
    const { allow, deny } = this.#options.settings;
    const allowed = allow?.map(namePattern);
    const denied = deny.map(namePattern);
    const { tools, more } = await connection.listTools(MOST_TOOLS, signal);
    this.#listed = await readTools(
      tools.map((tool) => this.redactor.json(tool)),
      {
        server: this.name,
        accepts: (name) =>
          !denied.some((pattern) => pattern.matches(name)) &&
          (allowed === undefined || allowed.some((pattern) => pattern.matches(name))),
        mirrorsHeaders: connection.mirrorsHeaders,
      },
    );
    if (more) this.#tell(`it lists more than ${MOST_TOOLS} tools; the rest is left out`);
    await this.#publishTools();
    this.#publishSource(`mcp:${this.name}`, { kind: 'gone' });
  }

  #scheduleRelist(): void {
    if (this.#relist !== undefined || this.#closing.signal.aborted) return;
    const timer = setTimeout(() => void this.#relistNow(), RELIST_MS);
    timer.unref();
    this.#relist = { timer };
  }

  async #relistNow(): Promise<void> {
    this.#relist = undefined;
    const state = this.#state;
    // While it starts, the list may have been read already; the change came after that, or is in it.
    if (state.kind === 'starting') return this.#scheduleRelist();
    if (state.kind !== 'up') return;
    try {
      const late = AbortSignal.timeout(this.#options.settings.startTimeoutMs);
      await this.#list(state.connection, AbortSignal.any([late, this.#closing.signal]));
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      this.#tell(
        `its new list could not be read: ${error instanceof Error ? error.message : 'unknown reason'}`,
      );
    }
  }

  /** One after the other: an older list must not come into force after a newer one. */
  #publishTools(): Promise<void> {
    const turn = this.#lastPublish.then(() => this.#publishListed());
    this.#lastPublish = turn.catch(() => undefined);
    return turn;
  }

  async #publishListed(): Promise<void> {
    const { lock, limits, settings } = this.#options;
    const admissions = await admitTools(lock, this.name, settings.trust, this.tools());
    if (this.#closing.signal.aborted) return;
    const states = new Map<string, SourceState>();
    for (const read of this.#listed) {
      if (!read.ok) {
        states.set(this.#sourceOf(read.name), { kind: 'broken', name: read.name, problems: read.problems });
        continue;
      }
      const { tool } = read;
      const { name } = tool.manifest;
      const admission = admissions.get(tool) ?? NOT_ADMITTED;
      states.set(
        this.#sourceOf(name),
        admission.admitted
          ? { kind: 'good', tool: createServerTool(this, tool, limits), warnings: tool.warnings }
          : {
              kind: 'held',
              name,
              problems: [{ message: admission.text }],
              withdrawn: admission.withdrawn,
            },
      );
    }
    const gone = [...this.#published.keys()].filter(
      (source) => !states.has(source) && source !== `mcp:${this.name}`,
    );
    this.#publish([...states, ...gone.map((source) => [source, { kind: 'gone' }] as const)]);
  }

  #sourceOf(name: string): string {
    return `mcp:${this.name}:${name}`;
  }

  #publishSource(source: string, state: SourceState): void {
    this.#publish([[source, state]]);
  }

  /** Tells the catalogue what is new, and nothing that it knows. */
  #publish(states: Iterable<readonly [string, SourceState]>): void {
    const stranger = this.#options.settings.trust !== 'declared';
    const updates: SourceUpdate[] = [];
    for (const [source, state] of states) {
      const description = describe(state);
      if ((this.#published.get(source) ?? 'gone') === description) continue;
      if (state.kind === 'gone') this.#published.delete(source);
      else this.#published.set(source, description);
      updates.push({ source, origin: 'mcp', stranger, state });
    }
    if (updates.length > 0) this.#options.publish(updates);
  }

  #fail(reason: string): void {
    const message = this.#clean(reason);
    this.#enter({ kind: 'down', reason: message });
    this.#publishSource(`mcp:${this.name}`, {
      kind: 'broken',
      name: serverEntryName(this.name),
      problems: [{ message: `the server "${this.name}" is not running: ${message}` }],
    });
    // Each try to start it again fails alike; once is enough, until it has been up.
    if (message !== this.#toldFailure) this.#tell(message);
    this.#toldFailure = message;
  }

  #tell(message: string): void {
    this.#options.tell({ message: `mcpServers.${this.name}: ${this.#clean(message)}` });
  }

  #clean(text: string): string {
    return printable(stripAnsi(this.redactor.text(text)), 500);
  }

  #enter(state: State): void {
    if (this.#state.kind === 'closed') return;
    this.#state = state;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async #pause(failures: number): Promise<void> {
    const first = this.#options.firstPauseMs ?? FIRST_PAUSE_MS;
    const longest = Math.min(first * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    // Spread, so that several servers that died together don't start together.
    const milliseconds = longest * (0.75 + Math.random() / 4);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#closing.signal.addEventListener(
        'abort',
        () => {
          clearTimeout(timer);
          resolve();
        },
        { once: true },
      );
    });
  }
}

function describe(state: SourceState): string {
  switch (state.kind) {
    case 'good':
      return JSON.stringify([state.kind, state.tool.version, state.warnings]);
    case 'gone':
      return state.kind;
    default:
      return JSON.stringify(state);
  }
}

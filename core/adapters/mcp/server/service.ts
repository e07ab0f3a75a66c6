import type { ServerEventBus } from '@modelcontextprotocol/server';
import type { Selection, View } from '../../../catalog/view.ts';
import { namePattern } from '../../../permissions/name-pattern.ts';
import { OpenCalls } from './open-calls.ts';
import type { McpSource } from './source.ts';

export type ListKind = 'tools' | 'resources' | 'prompts';

export interface McpServiceOptions {
  /** Name patterns of what is served: tools, resources and prompts. */
  readonly selection?: Pick<Selection, 'allow' | 'deny'>;
  /** The version that clients are told. */
  readonly version: string;
}

/** What several tool versions changed in one go is told once. */
const SETTLE_MS = 20;

/** What all connections of one server share: the catalogue as it is served, its changes, the questions that are open. */
export class McpService {
  readonly source: McpSource;
  readonly version: string;
  readonly view: View;
  readonly openCalls = new OpenCalls();
  readonly #isServed: (name: string) => boolean;
  readonly #listeners = new Set<(kind: ListKind) => void>();
  readonly #onChange = (): void => this.#schedule();
  #seen: Readonly<Record<ListKind, unknown>>;
  #timer: NodeJS.Timeout | undefined;

  constructor(source: McpSource, { selection = {}, version }: McpServiceOptions) {
    this.source = source;
    this.version = version;
    this.view = source.view(selection);
    const allow = selection.allow?.map(namePattern);
    const deny = (selection.deny ?? []).map(namePattern);
    this.#isServed = (name) =>
      !deny.some((pattern) => pattern.matches(name)) &&
      (allow === undefined || allow.some((pattern) => pattern.matches(name)));
    this.#seen = this.#look();
    source.catalog.on('change', this.#onChange);
  }

  /** May a resource or a prompt of this name be seen? Tools have the view. */
  isServed(name: string): boolean {
    return this.#isServed(name);
  }

  /**
   * Tells when a list that clients may have read is another one now; for tools also when one runs other code.
   *
   * @returns a function that ends it.
   */
  onListChanged(listener: (kind: ListKind) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.source.catalog.off('change', this.#onChange);
    clearTimeout(this.#timer);
    this.#listeners.clear();
    this.openCalls.close();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#compare();
    }, SETTLE_MS);
  }

  #compare(): void {
    const before = this.#seen;
    this.#seen = this.#look();
    for (const kind of ['tools', 'resources', 'prompts'] as const) {
      if (before[kind] !== this.#seen[kind]) for (const listener of [...this.#listeners]) listener(kind);
    }
  }

  #look(): Readonly<Record<ListKind, unknown>> {
    const { resources, prompts } = this.source;
    return {
      // The view hands out the same array while the same versions serve.
      tools: this.view.list(),
      resources: JSON.stringify([resources?.list(), resources?.templates()]),
      prompts: JSON.stringify(prompts?.list()),
    };
  }
}

/** Tells the subscribers of a bus what changes in the service. */
export function publishChanges(service: McpService, bus: ServerEventBus): () => void {
  return service.onListChanged((kind) => bus.publish({ kind: `${kind}_list_changed` }));
}

import type { McpService } from './service.ts';
import type { ResourceSource } from './source.ts';

const MOST_URIS = 2_000;
const LONGEST_URI = 2_000;

/** The URIs that somebody wants to hear about: each is told once, however many hold it. */
export class ResourceWatch {
  readonly #service: McpService;
  readonly #resources: ResourceSource;
  readonly #tell: (uri: string) => void;
  readonly #held = new Map<string, { count: number; readonly end: () => void }>();

  constructor(service: McpService, resources: ResourceSource, tell: (uri: string) => void) {
    this.#service = service;
    this.#resources = resources;
    this.#tell = tell;
  }

  /**
   * Holds these URIs until the returned function is called. Undefined where one is too long, or they would be too many;
   * then none is held.
   */
  hold(wanted: readonly string[]): (() => void) | undefined {
    const uris = new Set(wanted);
    const more = [...uris].filter((uri) => !this.#held.has(uri));
    if (this.#held.size + more.length > MOST_URIS || more.some((uri) => uri.length > LONGEST_URI))
      return undefined;
    for (const uri of uris) this.#take(uri);
    return () => {
      for (const uri of uris) this.#leave(uri);
      uris.clear();
    };
  }

  close(): void {
    for (const { end } of this.#held.values()) end();
    this.#held.clear();
  }

  #take(uri: string): void {
    const held = this.#held.get(uri);
    if (held !== undefined) {
      held.count += 1;
      return;
    }
    const end = this.#resources.subscribe(uri, () => {
      const name = this.#resources.nameOf(uri);
      if (name === undefined || this.#service.isServed(name)) this.#tell(uri);
    });
    this.#held.set(uri, { count: 1, end });
  }

  #leave(uri: string): void {
    const held = this.#held.get(uri);
    if (held === undefined) return;
    held.count -= 1;
    if (held.count > 0) return;
    held.end();
    this.#held.delete(uri);
  }
}

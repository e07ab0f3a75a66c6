/** A global and how to get its value: `load` runs once, at the first read. */
export type LazyEntry = readonly [name: string | symbol, load: () => unknown, enumerable?: boolean];

/**
 * Defines globals that cost nothing until they are used: an accessor that turns itself into a plain data
 * property at the first read or write. A read from within its own loading sees `undefined`, so that
 * a library's feature test can't recurse.
 */
export function defineLazy(target: object, entries: readonly LazyEntry[]): void {
  for (const [name, load, enumerable = false] of entries) {
    let loading = false;
    const settle = (value: unknown): void => {
      Object.defineProperty(target, name, { value, enumerable, writable: true, configurable: true });
    };
    Object.defineProperty(target, name, {
      get() {
        if (loading) return undefined;
        loading = true;
        try {
          const value = load();
          settle(value);
          return value;
        } finally {
          loading = false;
        }
      },
      set: settle,
      enumerable,
      configurable: true,
    });
  }
}

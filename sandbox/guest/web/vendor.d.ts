/** Declarations for what the libraries don't type themselves. */

declare module 'whatwg-url/lib/url-state-machine.js' {
  export interface UrlRecord {
    scheme: string;
    username: string;
    password: string;
    host: string | number | readonly number[] | null;
    port: number | null;
    path: string | string[];
    query: string | null;
    fragment: string | null;
  }
  interface Machine {
    basicURLParse(
      input: string,
      options?: { baseURL?: UrlRecord; url?: UrlRecord; stateOverride?: string },
    ): UrlRecord | null;
    serializeURL(url: UrlRecord, excludeFragment?: boolean): string;
    serializePath(url: UrlRecord): string;
    serializeURLOrigin(url: UrlRecord): string;
    serializeHost(host: string | number | readonly number[]): string;
    setTheUsername(url: UrlRecord, username: string): void;
    setThePassword(url: UrlRecord, password: string): void;
    cannotHaveAUsernamePasswordPort(url: UrlRecord): boolean;
    hasAnOpaquePath(url: UrlRecord): boolean;
  }
  const machine: Machine;
  export default machine;
}

declare module 'whatwg-url/lib/urlencoded.js' {
  const urlencoded: {
    parseUrlencodedString(input: string): [string, string][];
    serializeUrlencoded(pairs: readonly (readonly [string, string])[]): string;
  };
  export default urlencoded;
}

declare module 'urlpattern-polyfill/urlpattern';

/** esbuild turns it into a wrapper that evaluates the module at the first call. */
declare function require(id: string): unknown;

interface ErrorConstructor {
  captureStackTrace(target: object, above?: unknown): void;
}

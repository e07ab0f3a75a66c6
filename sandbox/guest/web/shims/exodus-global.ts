/**
 * Stands in for `globalThis` inside @exodus/bytes: its feature tests (is there a native TextDecoder?) must neither
 * wake the lazy globals nor take our own TextDecoder, which is built on it, for a native one.
 */
const names: Readonly<Record<string, unknown>> = { decodeURIComponent, escape, unescape };

export { names as globalThis };

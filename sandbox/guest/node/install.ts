import type { GuestBridge } from '../web/guest-bridge.ts';
import { defineLazy } from '../web/lazy.ts';

/** Where the bundled `node:fs/promises` finds what it is made of. */
const FS = Symbol.for('glovebox.fs');
/** No global: the bundler gives it to code that names `process`, as it is no part of the web's platform. */
const PROCESS = Symbol.for('glovebox.process');

/** The little of Node that has no web standard: `process` and the file system of `node:fs/promises`. */
export function installNodeGlobals(global: object, bridge: GuestBridge): void {
  defineLazy(global, [
    // esbuild resolves both to those modules.
    [PROCESS, () => (require('./process.ts') as typeof import('./process.ts')).makeProcess(bridge)],
    ['global', () => global],
    [FS, () => (require('./fs-promises.ts') as typeof import('./fs-promises.ts')).makeFs(bridge)],
  ]);
}

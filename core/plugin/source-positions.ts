import { originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';

const FRAME = /plugin\.js:(\d+):(\d+)/g;
const MAX_FRAMES = 30;

/** Finds the plugin's own place in a stack of its bundle: `index.ts:12`. The map is parsed at the first use. */
export function createLocator(mapJson: string): (stack: string) => string | undefined {
  let map: TraceMap | undefined;
  return (stack) => {
    let inPackage: string | undefined;
    let frames = 0;
    for (const [, line, column] of stack.matchAll(FRAME)) {
      frames += 1;
      if (frames > MAX_FRAMES) break;
      map ??= new TraceMap(mapJson);
      if (Number(line) < 1) continue;
      const { source, line: found } = originalPositionFor(map, {
        line: Number(line),
        column: Math.max(0, Number(column) - 1),
      });
      if (source === null || found === null) continue;
      const place = `${shorten(source)}:${found}`;
      if (!source.includes('node_modules/')) return place;
      inPackage ??= place;
    }
    return inPackage;
  };
}

/** Packages are named from their `node_modules` on, so that no path of this machine shows. */
function shorten(source: string): string {
  const at = source.lastIndexOf('node_modules/');
  return at >= 0 ? source.slice(at) : source.replace(/^\.\//, '');
}

/** One start of a host in a process of its own: `start.mjs CONFIG PLUGIN ARGUMENTS`. Prints what it took as JSON. */
import { createHost } from 'glovebox';

const [, , config = '', plugin = '', argumentsJson = '{}'] = process.argv;
const began = performance.now();
const host = await createHost({ config });
const names = host.catalog.list().map(({ name }) => name);
const listedMs = performance.now() - began;
await host.ready;
const readyMs = performance.now() - began;
global.gc?.();
const rssMb = process.memoryUsage.rss() / 1_048_576;

const calling = performance.now();
const first = await host.call({ name: plugin, arguments: argumentsJson });
const firstCallMs = performance.now() - calling;
if (!first.ok) throw new Error(first.content);

const LOOKUPS = 200_000;
const lookingUp = performance.now();
for (let index = 0; index < LOOKUPS; index += 1)
  host.catalog.lookup(names[(index * 7_919) % names.length] ?? '');
const lookupNs = ((performance.now() - lookingUp) / LOOKUPS) * 1e6;

process.stdout.write(
  JSON.stringify({ count: names.length, listedMs, readyMs, rssMb, firstCallMs, lookupNs }),
);
await host.close();

import { Limiter } from '../../plugin/limiter.ts';
import type { SignatureRequest } from './read-signature.ts';
import { type ReaderBounds, ReaderProcess, type Reading } from './reader-process.ts';

/** Each holds a compiler: a hundred megabytes and more. */
const MAX_PROCESSES = 2;
/** How long a reader waits for the next request, milliseconds: somebody edits a plugin and saves again. */
const IDLE_MS = 10_000;

const limiter = new Limiter(MAX_PROCESSES);
/** Those without a request, the one that was used last at the end. */
const resting: { readonly reader: ReaderProcess; readonly timer: NodeJS.Timeout }[] = [];

/** A process of its own, so that nothing of a stranger's code is in one that reads another's. */
export function readAlone(request: SignatureRequest, bounds: ReaderBounds): Promise<Reading> {
  return limiter.run(() => readIn(new ReaderProcess(bounds, request.confineTo), request));
}

/**
 * In a process that reads several, which has its compiler loaded and the language's own types parsed. One that is lost
 * over a later request is replaced, and the request has all of the bounds to itself.
 */
export function readShared(request: SignatureRequest, bounds: ReaderBounds): Promise<Reading> {
  return limiter.run(async () => {
    const reader = takeResting() ?? new ReaderProcess(bounds, undefined);
    const isFirst = !reader.isUsed;
    const reading = await reader.ask(request);
    if (reading.kind === 'lost' && !isFirst) return readIn(new ReaderProcess(bounds, undefined), request);
    rest(reader);
    return reading;
  });
}

async function readIn(reader: ReaderProcess, request: SignatureRequest): Promise<Reading> {
  const reading = await reader.ask(request);
  reader.close();
  return reading;
}

function takeResting(): ReaderProcess | undefined {
  const last = resting.pop();
  clearTimeout(last?.timer);
  return last === undefined || last.reader.isUsable ? last?.reader : takeResting();
}

function rest(reader: ReaderProcess): void {
  if (!reader.isUsable) return reader.close();
  const timer = setTimeout(() => {
    resting.splice(
      resting.findIndex((each) => each.reader === reader),
      1,
    );
    reader.close();
  }, IDLE_MS);
  resting.push({ reader, timer: timer.unref() });
}

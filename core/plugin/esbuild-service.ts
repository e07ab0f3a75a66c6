import { type BuildFailure, type BuildOptions, type BuildResult, build, type Message, stop } from 'esbuild';
import { watchBundlerMemory } from './bundler-memory.ts';

/** A build takes milliseconds; one that takes this long walks a disk or works on hostile text. */
const BUILD_TIMEOUT_MS = 20_000;

export type BuildRun =
  | { readonly kind: 'built'; readonly result: BuildResult }
  /** What is wrong with the code, in esbuild's words. */
  | { readonly kind: 'refused'; readonly messages: readonly Message[] }
  /** It brought the bundler's process down, or took too long. */
  | { readonly kind: 'lost'; readonly reason: string };

let alone: Promise<unknown> = Promise.resolve();

/**
 * One build in esbuild's process, which all builds share. Deeply nested code overflows its stack and ends it, and with it
 * every build under way; esbuild does not start it again by itself. So the service is reset here, and a build that was
 * lost is tried once more, one lost build at a time: whoever then takes it down again is the one to blame.
 */
export async function runBuild(options: BuildOptions): Promise<BuildRun> {
  const first = await attempt(options);
  if (first.kind !== 'lost' || first.timedOut) return first;
  const second = alone.then(() => attempt(options));
  alone = second;
  return second;
}

type Attempt = BuildRun & { readonly timedOut?: boolean };

async function attempt(options: BuildOptions): Promise<Attempt> {
  const late = Promise.withResolvers<Attempt>();
  const timer = setTimeout(() => {
    late.resolve({
      kind: 'lost',
      reason: `bundling it took more than ${BUILD_TIMEOUT_MS} ms`,
      timedOut: true,
    });
    // What was asked of a stopped service may never be answered, so nobody waits for it.
    void stop();
  }, BUILD_TIMEOUT_MS);
  const unwatch = watchBundlerMemory();
  try {
    return await Promise.race([tryBuild(options), late.promise]);
  } finally {
    unwatch();
    clearTimeout(timer);
  }
}

async function tryBuild(options: BuildOptions): Promise<Attempt> {
  try {
    return { kind: 'built', result: await build(options) };
  } catch (error) {
    const { errors } = error as Partial<BuildFailure>; // esbuild's failures carry them
    if (Array.isArray(errors)) return { kind: 'refused', messages: errors };
    void stop();
    const reason =
      'bundling it ended the bundler: is the code nested very deeply, or does it expand to something very large?';
    return { kind: 'lost', reason };
  }
}

import { parentIsGone } from './dev/follow-parent.ts';
import { DevSession } from './dev/session.ts';
import { ExitCode } from './exit-code.ts';
import { waitForInterrupt } from './interruption.ts';

export interface DevOptions {
  readonly config?: string;
  readonly inspect?: string;
}

/** `glovebox dev`: follows plugins and config and says what happens, until it is interrupted or left alone. */
export async function dev(options: DevOptions): Promise<number> {
  const ending = new AbortController();
  const left = Promise.withResolvers<void>();
  // From the start: a Ctrl-C while the plugins load must end the workers too.
  const interrupted = waitForInterrupt(Promise.race([left.promise, parentIsGone(ending.signal)]));
  try {
    const session = await DevSession.open(options);
    void session.ended.then(left.resolve);
    await interrupted;
    await session.close();
  } finally {
    ending.abort();
    left.resolve();
    await interrupted;
  }
  return ExitCode.ok;
}

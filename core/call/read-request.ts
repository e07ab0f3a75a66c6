import { hash } from 'node:crypto';
import type { CallRequest } from './call.ts';

/** Longer names of sessions are kept by everything that knows them, for as long as it does. */
const MAX_SESSION_CHARS = 256;

/** A long one by its hash: another session has another one. */
function shorten(session: string): string {
  return session.length > MAX_SESSION_CHARS ? `sha256:${hash('sha256', session)}` : session;
}

/** Plain JavaScript leaves parts null. */
type Loose = { readonly [Part in keyof CallRequest]: CallRequest[Part] | null };

/** What comes from outside the types (a model's call, plain JavaScript) may be anything; each part is read once. */
export function readRequest(request: CallRequest): CallRequest {
  try {
    const {
      name,
      arguments: args,
      id,
      session,
      signal,
      finishReason,
      chain,
      onProgress,
      onLog,
      ask,
      view,
    } = request as Loose; // see there
    const read = {
      name: typeof name === 'string' ? name : '',
      // These alone may be null.
      arguments: args,
      id: id ?? undefined,
      session: session === undefined || session === null ? undefined : shorten(String(session)),
      signal: signal ?? undefined,
      finishReason: finishReason ?? undefined,
      chain: chain ?? undefined,
      onProgress: onProgress ?? undefined,
      onLog: onLog ?? undefined,
      ask: ask ?? undefined,
      view: view ?? undefined,
    };
    return read as CallRequest; // what is not there is undefined, always in the same places
  } catch {
    return { name: '' };
  }
}

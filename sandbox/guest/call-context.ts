import { Out } from '../crossing.ts';
import { hostCall, type LogLevel, log, send } from './bridge.ts';
import { stringify, toText } from './intrinsics.ts';
import { makeAbortController } from './web/install.ts';

/** What the plugin's function gets as its second argument: only what has no standard form. */
export interface CallContext {
  readonly signal: unknown;
  readonly session: string | undefined;
  progress(value: unknown): void;
  readonly log: Record<LogLevel, (...values: unknown[]) => void>;
  readonly tools: { call(name: string, args?: unknown): Promise<unknown> };
  readonly storage: {
    get(key: string): Promise<unknown>;
    set(key: string, value: unknown): Promise<void>;
    delete(key: string): Promise<boolean>;
    keys(prefix?: string): Promise<string[]>;
  };
}

/** The part of AbortController that is used here. */
interface Aborter {
  readonly signal: unknown;
  abort(reason?: unknown): void;
}

let aborter: Aborter | undefined;
let aborted = false;

export function makeCallContext(session: string | undefined): CallContext {
  aborter = undefined;
  aborted = false;
  return {
    get signal() {
      if (aborter === undefined) {
        // Not the global one, which plugin code may have replaced.
        aborter = makeAbortController();
        if (aborted) aborter.abort();
      }
      return aborter.signal;
    },
    session,
    progress(value) {
      const text = stringify(value === undefined ? null : value);
      send(Out.progress, 0, text === undefined ? 'null' : text);
    },
    log: { debug: logger('debug'), info: logger('info'), warn: logger('warn'), error: logger('error') },
    tools: {
      call: (name, args) =>
        hostCall('tools.call', { name: toText(name), arguments: args === undefined ? {} : args }),
    },
    storage: {
      get: (key) => hostCall('storage.get', { key: toText(key) }).then(orUndefined),
      set: async (key, value) =>
        void (await hostCall('storage.set', { key: toText(key), value: value === undefined ? null : value })),
      delete: async (key) => (await hostCall('storage.delete', { key: toText(key) })) === true,
      keys: async (prefix) =>
        (await hostCall('storage.keys', prefix === undefined ? {} : { prefix: toText(prefix) })) as string[], // the broker's answer
    },
  };
}

/** The call was cancelled: tell whoever listens to `ctx.signal`. */
export function abortCall(): void {
  aborted = true;
  aborter?.abort();
}

function orUndefined(value: unknown): unknown {
  return value === null ? undefined : value;
}

function logger(level: LogLevel): (...values: unknown[]) => void {
  return (...values) => {
    let line = '';
    for (let index = 0; index < values.length; index += 1) {
      const value = values[index];
      line += `${index === 0 ? '' : ' '}${typeof value === 'string' ? value : asText(value)}`;
    }
    log(level, line);
  };
}

function asText(value: unknown): string {
  try {
    if (value instanceof Error) return toText(value.stack ?? value.message);
    return stringify(value) ?? toText(value);
  } catch {
    return 'a value that could not be written';
  }
}

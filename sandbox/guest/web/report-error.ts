import { bridge } from './guest-bridge.ts';
import { requireArguments } from './webidl.ts';

let reporting = false;

/** Set once events are in use: offers the exception to `error` listeners; true means that one handled it. */
let offer: (error: unknown, message: string) => boolean = () => false;
export function setErrorOffer(handler: typeof offer): void {
  offer = handler;
}

/** "Report the exception": to the listeners of the global object, else to the log. */
export function reportException(error: unknown): void {
  const message = describe(error);
  if (reporting) {
    bridge().log('error', message);
    return;
  }
  reporting = true;
  try {
    if (!callOnError(error, message) && !offer(error, message)) bridge().log('error', message);
  } finally {
    reporting = false;
  }
}

/** `globalThis.onerror`, the one event handler whose true means "handled". */
function callOnError(error: unknown, message: string): boolean {
  const handler: unknown = Reflect.get(globalThis, 'onerror');
  if (typeof handler !== 'function') return false;
  return Reflect.apply(handler, globalThis, [message, '', 0, 0, error]) === true;
}

function describe(error: unknown): string {
  try {
    if (typeof error === 'object' && error !== null) {
      const stack: unknown = Reflect.get(error, 'stack');
      if (typeof stack === 'string' && stack !== '') return `Uncaught ${stack}`;
    }
    return `Uncaught ${String(error)}`;
  } catch {
    return 'Uncaught exception';
  }
}

export function reportError(error: unknown): void {
  requireArguments(arguments.length, 1, 'reportError');
  reportException(error);
}

/** Entry of the guest: evaluated in every new context before plugin code, so that its built-ins are the engine's own. */
import { Enter, type EnterFunction, type HostFunction, Out } from '../crossing.ts';
import * as bridge from './bridge.ts';
import { connect, fireTimer, forgetWaiting, send, setEnvironment, settleHostCall } from './bridge.ts';
import { abortCall, makeCallContext } from './call-context.ts';
import { apply, parse, stringify } from './intrinsics.ts';
import { lockDown } from './lockdown.ts';
import { installNodeGlobals } from './node/install.ts';
import { packThrown } from './pack-error.ts';
import { packValue } from './pack-value.ts';
import { parseArguments } from './parse-arguments.ts';
import { installWebGlobals } from './web/install.ts';

type Entry = (args: unknown, context: unknown) => unknown;

interface CallInput {
  readonly session?: string;
  readonly env: Readonly<Record<string, string>>;
}

let entry: Entry | undefined;
/** The call that this context serves now; an answer carries the number of the call that it was made for. */
let call = 0;

/** Called once in each context. What it returns is the one function through which the engine enters. */
export function install(host: HostFunction): EnterFunction {
  connect(host);
  const global = globalThis as unknown as Record<string, unknown>; // the global object of this context
  lockDown(global);
  installWebGlobals(global, bridge);
  installNodeGlobals(global, bridge);

  return (what, number, text, more, loader) => {
    try {
      if (what === Enter.call) callEntry(number, text, more);
      else if (what === Enter.reply) settleHostCall(number, true, text);
      else if (what === Enter.fail) settleHostCall(number, false, text);
      else if (what === Enter.timer) fireTimer(number);
      else if (what === Enter.abort) abortCall();
      else if (what === Enter.load) load(loader);
      else if (what === Enter.rehearse) rehearse();
    } catch (error) {
      send(Out.thrown, call, packThrown(error));
    }
  };
}

/** An entry of its own: what the module does in microtasks is done before it is called, as for an importer in Node. */
function load(loader: unknown): void {
  const exports = apply(loader as () => unknown, undefined, []); // the wrapped bundle, made by the engine
  const found = defaultExport(exports);
  if (typeof found !== 'function') {
    send(
      Out.thrown,
      0,
      '{"name":"Error","message":"the entry has no default export that is a function","code":"no_default_function"}',
    );
    return;
  }
  entry = found as Entry; // just checked
  send(Out.loaded);
}

/** What each call goes through, once without one: in a new context the first time takes three times as long. */
function rehearse(): void {
  for (const play of [(args: unknown) => args, async (args: unknown) => args]) {
    load(() => ({ default: play }));
    callEntry(0, '{"rehearsal":1}', '');
  }
  entry = undefined;
}

function defaultExport(exports: unknown): unknown {
  if (typeof exports !== 'object' || exports === null) return exports;
  const first = (exports as { default?: unknown }).default;
  // CommonJS interop: `module.exports = fn` arrives as `{ default: fn }`, compiled ESM as `{ default: { default: fn } }`.
  if (typeof first === 'object' && first !== null) return (first as { default?: unknown }).default;
  return first;
}

function callEntry(number: number, argumentsText: string, inputText: string): void {
  if (entry === undefined) throw new Error('no entry was loaded');
  call = number;
  forgetWaiting();
  // Written by our host, or nothing where there is neither session nor environment.
  const input = inputText === '' ? { env: {} } : (parse(inputText) as CallInput);
  setEnvironment(input.env);
  const result = entry(parseArguments(argumentsText), makeCallContext(input.session));
  if (typeof result === 'object' || typeof result === 'function') void answerLater(number, result);
  else answer(number, result);
}

async function answerLater(number: number, result: unknown): Promise<void> {
  try {
    answer(number, await result);
  } catch (error) {
    send(Out.thrown, number, packThrown(error));
  }
}

function answer(number: number, value: unknown): void {
  const packed = packValue(value);
  if (packed.form === 'nothing') send(Out.nothing, number);
  else if (packed.form === 'value') send(Out.value, number, packed.text);
  else send(Out.unserialisable, number, stringify({ message: packed.message, path: packed.path }));
}

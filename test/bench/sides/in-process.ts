import { createRequire } from 'node:module';
import type ivm from 'isolated-vm';
import { getQuickJS } from 'quickjs-emscripten';
import { expectAnswer, type Side } from '../race.ts';
import { RAW, type RawKind } from './raw.ts';

const engine = createRequire(import.meta.url)('isolated-vm') as typeof ivm; // a CommonJS addon
const TIMEOUT_MS = 10_000;

export function openPlainFunction(): Side {
  const addOne = ({ n }: { n: number }) => n + 1;
  return {
    name: 'plain function',
    async call(n) {
      expectAnswer('plain function', await addOne({ n }), n + 1);
    },
    async [Symbol.asyncDispose]() {},
  };
}

export async function openRaw(name: string, kind: RawKind): Promise<Side> {
  const raw = await RAW[kind]();
  return {
    name,
    async call(n) {
      expectAnswer(name, raw.call(n), n + 1);
    },
    async [Symbol.asyncDispose]() {
      raw.dispose();
    },
  };
}

/** A context a call, as the library's own examples do it. */
export async function openQuickJs(): Promise<Side> {
  const name = 'quickjs-emscripten, context a call';
  const quickjs = await getQuickJS();
  return {
    name,
    async call(n) {
      using context = quickjs.newContext();
      using result = context.unwrapResult(context.evalCode(`(({ n }) => n + 1)(${JSON.stringify({ n })})`));
      expectAnswer(name, context.getNumber(result), n + 1);
    },
    async [Symbol.asyncDispose]() {},
  };
}

/**
 * In the host's own process with the asynchronous API, an isolate a call, data in and out as references: the way of
 * Directus' "Run Script".
 */
export function openIsolateInProcess(): Side {
  const name = 'isolated-vm in process, as Directus';
  const code = 'module.exports = async function (data) { return data.n + 1; };';
  return {
    name,
    share: 0.5,
    async call(n) {
      const isolate = new engine.Isolate({ memoryLimit: 32 });
      const context = isolate.createContextSync();
      const { global } = context;
      global.setSync('process', { env: {} }, { copy: true });
      global.setSync('module', { exports: null }, { copy: true });
      const script = await isolate.compileScript(code);
      await script.run(context, { timeout: TIMEOUT_MS });
      const input = new engine.Reference({ data: { n } });
      const result: ivm.Reference<number> = await context.evalClosure(
        'return module.exports($0.copySync().data)',
        [input],
        {
          result: { reference: true, promise: true },
          timeout: TIMEOUT_MS,
        },
      );
      expectAnswer(name, result.copySync(), n + 1);
      result.release();
      input.release();
      script.release();
      context.release();
      isolate.dispose();
    },
    async [Symbol.asyncDispose]() {},
  };
}

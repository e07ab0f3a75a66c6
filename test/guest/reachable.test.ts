import { afterAll, beforeAll, expect, test } from 'vitest';
import { Guest } from './guest-context.ts';

let guest: Guest;
beforeAll(async () => {
  guest = await Guest.open();
});
afterAll(() => guest.close());

/** Walks over everything that plugin code can get at: properties, symbols, getters, prototypes, what constructors and thrown errors lead to. */
const WALK = `
  const roots = [globalThis, ctx, args];
  for (const make of [
    () => new URL('http://x?a'), () => new URL('http://x?a').searchParams, () => new URLSearchParams('a=b').entries(), () => new Headers({ a: 'b' }), () => new Headers().keys(),
    () => new Request('http://x', { method: 'POST', body: 'x' }), () => new Response('x'), () => new Response('x').body, () => new Response('x').body.getReader(), () => new Blob(['x']), () => new File([], ''), () => new FormData(), () => new Event('x'), () => new EventTarget(),
    () => new AbortController(), () => AbortSignal.timeout(1000), () => new TextDecoder(), () => new TextEncoder(), () => new TextDecoderStream(), () => new CompressionStream('gzip'), () => new TransformStream(), () => new WritableStream().getWriter(), () => new URLPattern({ pathname: '/:a' }), () => new URLPattern({ pathname: '/:a' }).exec('http://x/b'),
    () => new DOMException('x'), () => structuredClone(new Map([[1, new Error('x')]])), () => fetch('http://x').catch((error) => error), () => ctx.storage.get('x').catch((error) => error), () => process.hrtime(), () => globalThis[Symbol.for('glovebox.fs')].readFile('x').catch((error) => error),
    () => setTimeout(() => 1, 1), () => (function* () {})(), () => (async function* () {})(), () => Promise.withResolvers(), () => crypto.subtle.digest('SHA-256', new Uint8Array()), () => crypto.getRandomValues(new Uint8Array(1)), () => new Intl.DateTimeFormat(), () => [][Symbol.iterator](), () => new Proxy({}, {}), () => { null.x },
  ]) {
    try { roots.push(await make()) } catch (error) { roots.push(error) }
  }
  const FunctionHere = Function;
  const ObjectHere = Object.prototype;
  const GeneratorFunctions = [function* () {}, async function () {}, async function* () {}].map((f) => f.constructor);
  const seen = new Set();
  const queue = roots.map((value, index) => [value, 'root ' + index]);
  const foreign = [];
  const names = [];
  while (queue.length > 0) {
    const [value, path] = queue.pop();
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue;
    seen.add(value);
    let top = value;
    try { for (let p = value; p !== null; p = Object.getPrototypeOf(p)) { top = p; queue.push([Object.getPrototypeOf(p), path + '.__proto__']) } } catch {}
    if (top !== ObjectHere && top !== value && Object.getPrototypeOf(top) === null && top.constructor !== undefined && top.constructor !== Object) foreign.push(path);
    if (typeof value === 'function') {
      const constructor = value.constructor;
      if (Object.getPrototypeOf(value) === FunctionHere.prototype && !(value instanceof FunctionHere)) foreign.push(path + ' is no function of this world');
      let prototype = value;
      while (Object.getPrototypeOf(prototype) !== null && Object.getPrototypeOf(prototype) !== ObjectHere) prototype = Object.getPrototypeOf(prototype);
      if (prototype !== FunctionHere.prototype) foreign.push(path + ' has another Function.prototype');
      if (typeof constructor === 'function' && constructor !== FunctionHere && !GeneratorFunctions.includes(constructor) && Object.getPrototypeOf(value) === constructor.prototype && !(constructor instanceof FunctionHere)) foreign.push(path + ' has a foreign constructor');
      try {
        const text = FunctionHere.prototype.toString.call(value);
        if (/require\\(|\\/(home|usr|root|tmp|var|work)\\//.test(text) && !text.includes('[native code]')) names.push(path + ': ' + text.slice(0, 80));
      } catch {}
    }
    if (value instanceof Error && typeof value.stack === 'string' && /\\/|\\\\/.test(value.stack.replaceAll('glovebox:', '').replace(/http:\\/\\/\\S*/g, ''))) names.push(path + ': ' + value.stack);
    let keys = [];
    try { keys = Reflect.ownKeys(value) } catch {}
    for (const key of keys) {
      const at = path + '.' + String(key);
      let descriptor;
      try { descriptor = Reflect.getOwnPropertyDescriptor(value, key) } catch { continue }
      if (descriptor === undefined) continue;
      if ('value' in descriptor) queue.push([descriptor.value, at]);
      queue.push([descriptor.get, at + '.get'], [descriptor.set, at + '.set']);
      if (descriptor.get !== undefined) { try { queue.push([value[key], at]) } catch (error) { queue.push([error, at + '.thrown']) } }
    }
  }
  const functions = [...seen].filter((value) => typeof value === 'function');
  const makers = new Set(functions.map((f) => f.constructor).filter((c) => typeof c === 'function' && (c === Function || GeneratorFunctions.includes(c))));
  const leaks = [];
  for (const maker of makers) {
    if (maker !== Function) continue;
    leaks.push(maker('return typeof require + typeof module + typeof process')());
  }
  return { objects: seen.size, foreign, names, leaks, ambient: Object.getOwnPropertyNames(globalThis).filter((name) => /^(require|module|exports|__.*|Buffer|ivm|WebAssembly|SharedArrayBuffer|Atomics)$/.test(name)) };
`;

test("everything reachable from the globals is of the guest's own world", async () => {
  const found = (await guest.run(WALK)) as {
    objects: number;
    foreign: string[];
    names: string[];
    leaks: string[];
    ambient: string[];
  }; // made by the walk
  expect(found.objects).toBeGreaterThan(1_500);
  expect(found.foreign).toEqual([]);
  expect(found.names).toEqual([]);
  expect(found.leaks).toEqual(['undefinedundefinedundefined']);
  expect(found.ambient).toEqual([]);
});

test('a plugin that wrecks the built-ins reaches nothing and only hurts itself', async () => {
  const seen = await guest
    .run(`
    const loot = [];
    const note = (value) => { if (typeof value === 'function' && !(value instanceof Function)) loot.push('foreign function') };
    for (const [target, keys] of [[Array.prototype, ['push', 'map', 'filter', 'indexOf', 'slice']], [Promise.prototype, ['then']], [Function.prototype, ['call', 'apply', 'bind']], [Map.prototype, ['get', 'set']], [WeakMap.prototype, ['get', 'set']], [String.prototype, ['replace', 'slice']], [Reflect, ['get', 'apply']]]) {
      for (const key of keys) {
        const original = target[key];
        target[key] = function (...passed) { note(this); for (const value of passed) note(value); return Reflect.construct === undefined ? undefined : original.apply === undefined ? undefined : undefined };
      }
    }
    try { new URL('http://x/y?a=b').searchParams.get('a') } catch {}
    try { structuredClone({ a: [1] }) } catch {}
    try { new Response('x').text() } catch {}
    try { fetch('http://x/') } catch {}
    try { setTimeout(() => 1, 1) } catch {}
    return loot.length;`)
    .catch((error: Error) => error.message);
  expect(seen === 0 || typeof seen === 'string').toBe(true);
  expect(await guest.run('return new URL("http://x/y").pathname')).toBe('/y');
});

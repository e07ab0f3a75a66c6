import { afterAll, beforeAll, describe, test } from 'vitest';
import { expectSameAsNode } from './differential.ts';
import { Guest } from './guest-context.ts';

let guest: Guest;
beforeAll(async () => {
  guest = await Guest.open();
});
afterAll(() => guest.close());

const clone = (expression: string): [string, string] => [expression, `return structuredClone(${expression})`];

const VALUES = [
  'undefined',
  'null',
  'true',
  '-0',
  'NaN',
  '1n',
  '"text"',
  '"\\ud800"',
  'new Boolean(false)',
  'new Number(-0)',
  'new String("x")',
  'Object(1n)',
  'new Date(5)',
  'new Date(NaN)',
  '/x/gi',
  'Object.assign(/x/g, { lastIndex: 1 })',
  '[]',
  '[1, , 3]',
  'Object.assign([1], { x: 2 })',
  'new Array(5)',
  '({})',
  '({ a: { b: [1] } })',
  'Object.create({ inherited: 1 })',
  'Object.create(null)',
  'Object.defineProperty({}, "hidden", { value: 1 })',
  '({ [Symbol()]: 1, s: 2 })',
  '({ get x() { return 5 } })',
  '({ __proto__: null, ["__proto__"]: 1 })',
  '({ b: 1, a: 2, 1: 3 })',
  'new Map([[1, { a: 1 }], ["k", new Map()]])',
  'new Set([1, "x", {}])',
  'new (class Foo { a = 1; #b = 2 })()',
  'new (class Foo extends Map {})([[1, 2]])',
  'new (class Foo extends Array {})(1, 2)',
  'new (class Foo extends Date {})(7)',
  '(function () { return arguments })(1, 2)',
  'new Error("m")',
  'new TypeError("m", { cause: { a: 1 } })',
  'Object.assign(new RangeError("m"), { extra: 1 })',
  'Object.assign(new Error("m"), { name: "Custom" })',
  'Object.assign(new Error("m"), { name: "TypeError" })',
  'Object.defineProperty(new Error("m"), "message", { value: 5 })',
  'Object.defineProperty(new Error("m"), "message", { get() { return "g" } })',
  'new Error()',
  'new (class Foo extends TypeError {})("m")',
  'new ArrayBuffer(3)',
  'Uint8Array.of(1, 2, 3)',
  'new Uint8Array(Uint8Array.of(1, 2, 3, 4).buffer, 1, 2)',
  'Float64Array.of(1.5)',
  'BigInt64Array.of(1n)',
  'new DataView(Uint8Array.of(1, 2, 3).buffer, 1)',
  'new Uint8ClampedArray([300])',
  'Float32Array.of(NaN)',
  'Object.assign(Uint8Array.of(1), { x: 1 })',
  'Symbol()',
  'Object(Symbol())',
  '() => 1',
  'class {}',
  '({ f() {} })',
  '[Symbol()]',
  'new WeakMap()',
  'new WeakSet()',
  'new WeakRef({})',
  'Promise.resolve(1)',
  '(function* () {})()',
  '(async function* () {})()',
  '[][Symbol.iterator]()',
  'new Map()[Symbol.iterator]()',
  'globalThis.structuredClone',
  'Math',
  'JSON',
  'new URL("http://x")',
  'new URLSearchParams("a=b")',
  'new Headers()',
  'new Request("http://x")',
  'new Response()',
  'new FormData()',
  'new Event("x")',
  'new EventTarget()',
  'new AbortController()',
  'AbortSignal.abort()',
  'new TextEncoder()',
  'new ReadableStream()',
  'new CustomEvent("x")',
  'performance',
  'crypto',
  'new DOMException("m", "AbortError")',
];

/** Platform objects that Node makes in JavaScript, where V8 takes them for plain ones; the standard refuses them. */
const PLAIN_IN_NODE = [
  'new Event("x")',
  'new EventTarget()',
  'new AbortController()',
  'AbortSignal.abort()',
  'new TextEncoder()',
  'new CustomEvent("x")',
  'performance',
  'crypto',
];

const refused = (expression: string): [string, { node: unknown; guest: unknown; because: string }] => [
  expression,
  {
    node: { returned: ['Object', []] },
    guest: { threw: 'DOMException DataCloneError' },
    because: 'it is a platform object without [Serializable]',
  },
];

describe('structuredClone', () => {
  test('clones or refuses every kind of value as Node does', async () => {
    await expectSameAsNode(
      guest,
      Object.fromEntries(VALUES.map(clone)),
      Object.fromEntries(PLAIN_IN_NODE.map(refused)),
    );
  });

  test('keeps identity, cycles and order as Node does', async () => {
    await expectSameAsNode(guest, {
      cycle: 'const a = { n: 1 }; a.self = a; const c = structuredClone(a); return [c !== a, c.self === c]',
      'cycle through a map':
        'const m = new Map(); m.set(m, m); const c = structuredClone(m); return [c !== m, [...c][0][0] === c, c.get(c) === c]',
      'cycle through a set': 'const s = new Set(); s.add(s); const c = structuredClone(s); return c.has(c)',
      'cycle through an error':
        'const e = new Error("x"); e.cause = e; const c = structuredClone(e); return c.cause === c',
      'shared object': 'const o = {}; const c = structuredClone([o, o]); return c[0] === c[1]',
      'shared buffer':
        'const b = new ArrayBuffer(4); const c = structuredClone({ a: new Uint8Array(b), b: new Uint16Array(b, 2), c: b }); return [c.a.buffer === c.b.buffer, c.c === c.a.buffer, c.b.byteOffset]',
      'getter order':
        'const seen = []; structuredClone({ get b() { seen.push("b") }, a: [{ get x() { seen.push("x") } }], get c() { seen.push("c") } }); return seen',
      'throwing getter': 'return structuredClone({ get x() { throw new RangeError("mine") } })',
      'getter that deletes':
        'const o = { get a() { delete o.b; return 1 }, b: 2 }; return structuredClone(o)',
      'getter that adds': 'const o = { get a() { o.z = 1; return 1 } }; return structuredClone(o)',
      'map changed by a getter':
        'const m = new Map(); const k = { get x() { m.set("late", 1); return 1 } }; m.set(k, 1); return [...structuredClone(m).keys()].length',
      'prototypes of the result':
        'const c = structuredClone([{}, [], new Map(), new Date(), new Error("x")]); return c.map((v) => Object.getPrototypeOf(v) === Object.getPrototypeOf([{}, [], new Map(), new Date(), new Error()][c.indexOf(v)]))',
      'setters on Object.prototype are not asked':
        'let hit = 0; Object.defineProperty(Object.prototype, "zz", { set() { hit++ }, configurable: true }); try { const c = structuredClone(JSON.parse(\'{"zz":1}\')); return [hit, Object.hasOwn(c, "zz")] } finally { delete Object.prototype.zz }',
      'error shape':
        'const c = structuredClone(new TypeError("m")); return [Object.getOwnPropertyNames(c).sort(), Object.keys(c), c instanceof TypeError, Object.hasOwn(c, "name")]',
      'error without message': 'return Object.hasOwn(structuredClone(new Error()), "message")',
      'deep nesting':
        'let o = {}; for (let i = 0; i < 1000; i++) o = { o }; let n = 0; for (let c = structuredClone(o); c.o; c = c.o) n++; return n',
      DOMException:
        'const e = structuredClone(new DOMException("m", "DataCloneError")); return [e instanceof DOMException, e.name, e.message, e.code]',
    });
  });

  test('transfers as Node does', async () => {
    await expectSameAsNode(guest, {
      buffer:
        'const b = Uint8Array.of(1, 2).buffer; const c = structuredClone(b, { transfer: [b] }); return [c, b.byteLength, b.detached]',
      'view of a transferred buffer':
        'const v = Uint8Array.of(1, 2, 3).subarray(1); const c = structuredClone({ v }, { transfer: [v.buffer] }); return [c.v, v.length, c.v.byteOffset]',
      'buffer that is not in the value':
        'const b = new ArrayBuffer(2); const c = structuredClone(1, { transfer: [b] }); return [c, b.detached]',
      'the same twice': 'const b = new ArrayBuffer(2); return structuredClone(b, { transfer: [b, b] })',
      detached: 'const b = new ArrayBuffer(2); b.transfer(); return structuredClone(1, { transfer: [b] })',
      'detached value': 'const b = new ArrayBuffer(2); b.transfer(); return structuredClone(b)',
      'view of a detached buffer':
        'const v = new Uint8Array(2); v.buffer.transfer(); return structuredClone(v)',
      'something else': 'return structuredClone(1, { transfer: [{}] })',
      'a view': 'return structuredClone(1, { transfer: [new Uint8Array(1)] })',
      'no iterable': 'return structuredClone(1, { transfer: 5 })',
      'any iterable':
        'const b = new ArrayBuffer(2); structuredClone(1, { transfer: new Set([b]) }); return b.detached',
      'failed clone leaves it':
        'const b = new ArrayBuffer(2); try { structuredClone(() => 1, { transfer: [b] }) } catch {} return b.detached',
    });
  });

  test('converts arguments as Node does', async () => {
    await expectSameAsNode(
      guest,
      {
        'no argument': 'return structuredClone()',
        'undefined options': 'return structuredClone(1, undefined)',
        'null options': 'return structuredClone(1, null)',
        'options of the wrong type': 'return structuredClone(1, 5)',
        length: 'return [structuredClone.length, structuredClone.name]',
        error:
          'try { structuredClone(() => 1) } catch (e) { return [e instanceof DOMException, e.name, e.code] }',
        Blob: 'const c = structuredClone(new Blob(["ab"], { type: "x/y" })); return [c instanceof Blob, c.size, c.type, await c.text()]',
        File: 'const c = structuredClone(new File(["ab"], "n", { lastModified: 7 })); return [c instanceof File, c.name, c.lastModified, await c.text()]',
      },
      {
        length: {
          node: { returned: [2, 'text: structuredClone'] },
          guest: { returned: [1, 'text: structuredClone'] },
          because: 'options are optional, so Web IDL makes the length 1',
        },
      },
    );
  });
});

import { afterAll, beforeAll, describe, test } from 'vitest';
import { expectSameAsNode } from './differential.ts';
import { Guest } from './guest-context.ts';

let guest: Guest;
beforeAll(async () => {
  guest = await Guest.open();
});
afterAll(() => guest.close());

describe('Event and EventTarget', () => {
  const log = (body: string): string => `const log = []; const t = new EventTarget(); ${body}; return log`;
  test('dispatch as Node does', async () => {
    await expectSameAsNode(
      guest,
      {
        attributes:
          'const e = new Event("x", { bubbles: true, cancelable: true, composed: 1 }); return [e.type, e.bubbles, e.cancelable, e.composed, e.defaultPrevented, e.eventPhase, e.target, e.currentTarget, e.isTrusted, e.returnValue, e.cancelBubble, e.composedPath(), typeof e.timeStamp]',
        defaults: 'const e = new Event("x"); return [e.bubbles, e.cancelable, e.composed]',
        'no type': 'return new Event()',
        'converted type': 'return [new Event(null).type, new Event(5).type, new Event(undefined).type]',
        'bad init': 'return new Event("x", 5)',
        constants: 'return [Event.NONE, Event.AT_TARGET, new Event("x").BUBBLING_PHASE]',
        order: log(
          't.addEventListener("a", () => log.push(1)); t.addEventListener("a", () => log.push(2)); t.addEventListener("b", () => log.push(3)); t.dispatchEvent(new Event("a"))',
        ),
        'same listener once': log(
          'const f = () => log.push(1); t.addEventListener("a", f); t.addEventListener("a", f, false); t.addEventListener("a", f, {}); t.dispatchEvent(new Event("a"))',
        ),
        removed: log(
          'const f = () => log.push(1); t.addEventListener("a", f); t.removeEventListener("a", f); t.dispatchEvent(new Event("a"))',
        ),
        'removed while running': log(
          'const g = () => log.push("g"); t.addEventListener("a", () => { log.push("f"); t.removeEventListener("a", g) }); t.addEventListener("a", g); t.dispatchEvent(new Event("a"))',
        ),
        'added while running': log(
          't.addEventListener("a", () => { log.push("f"); t.addEventListener("a", () => log.push("g")) }); t.dispatchEvent(new Event("a")); log.push("|"); t.dispatchEvent(new Event("a"))',
        ),
        once: log(
          't.addEventListener("a", () => log.push(1), { once: true }); t.dispatchEvent(new Event("a")); t.dispatchEvent(new Event("a"))',
        ),
        passive: log(
          't.addEventListener("a", (e) => e.preventDefault(), { passive: true }); const e = new Event("a", { cancelable: true }); log.push(t.dispatchEvent(e), e.defaultPrevented)',
        ),
        prevented: log(
          't.addEventListener("a", (e) => e.preventDefault()); log.push(t.dispatchEvent(new Event("a")), t.dispatchEvent(new Event("a", { cancelable: true })))',
        ),
        stopImmediatePropagation: log(
          't.addEventListener("a", (e) => { log.push(1); e.stopImmediatePropagation() }); t.addEventListener("a", () => log.push(2)); t.dispatchEvent(new Event("a"))',
        ),
        handleEvent: log(
          'const o = { handleEvent(e) { log.push(this === o, e.type) } }; t.addEventListener("a", o); t.dispatchEvent(new Event("a"))',
        ),
        'receiver and target': log(
          't.addEventListener("a", function (e) { log.push(this === t, e.target === t, e.currentTarget === t, e.eventPhase, e.composedPath().length, e.srcElement === t) }); const e = new Event("a"); t.dispatchEvent(e); log.push(e.currentTarget, e.target === t, e.eventPhase, e.composedPath().length)',
        ),
        'nested dispatch of the same event': log(
          't.addEventListener("a", (e) => { try { t.dispatchEvent(e) } catch (x) { log.push(x.name) } }); t.dispatchEvent(new Event("a"))',
        ),
        'dispatched twice': log(
          't.addEventListener("a", () => log.push(1)); const e = new Event("a"); t.dispatchEvent(e); t.dispatchEvent(e)',
        ),
        'null callback': log(
          'log.push(t.addEventListener("a", null), t.removeEventListener("a", undefined))',
        ),
        'too few arguments': log(
          'try { t.addEventListener("a") } catch (x) { log.push(x.name) } try { t.dispatchEvent() } catch (x) { log.push(x.name) }',
        ),
        'not an event': log('t.dispatchEvent({ type: "a" })'),
        signal: log(
          'const c = new AbortController(); t.addEventListener("a", () => log.push(1), { signal: c.signal }); t.dispatchEvent(new Event("a")); c.abort(); t.dispatchEvent(new Event("a"))',
        ),
        'aborted signal': log(
          't.addEventListener("a", () => log.push(1), { signal: AbortSignal.abort() }); t.dispatchEvent(new Event("a"))',
        ),
        'bad signal': log('t.addEventListener("a", () => 1, { signal: 5 })'),
        'null signal': log('t.addEventListener("a", () => 1, { signal: null })'),
        subclass:
          'class T extends EventTarget { constructor() { super(); this.x = 1 } } const t = new T(); let n = 0; t.addEventListener("a", () => n++); t.dispatchEvent(new Event("a")); return [n, t.x, t instanceof EventTarget]',
        CustomEvent:
          'const e = new CustomEvent("x", { detail: { a: 1 }, cancelable: true }); return [e.detail, e.cancelable, e instanceof Event, new CustomEvent("y").detail]',
        returnValue:
          'const e = new Event("x", { cancelable: true }); e.returnValue = false; return [e.defaultPrevented, e.returnValue]',
        cancelBubble:
          'const e = new Event("x"); e.cancelBubble = true; const a = e.cancelBubble; e.cancelBubble = false; return [a, e.cancelBubble]',
        'isTrusted is own':
          'return [Object.hasOwn(new Event("x"), "isTrusted"), Object.getOwnPropertyDescriptor(new Event("x"), "isTrusted").configurable]',
        tags: 'return [String(new Event("x")), String(new EventTarget()), String(new CustomEvent("x"))]',
      },
      {
        'added while running': {
          node: { returned: ['text: f', 'text: |', 'text: f', 'text: g', 'text: g'] },
          guest: { returned: ['text: f', 'text: |', 'text: f', 'text: g'] },
          because:
            'dispatch works on a copy of the listeners; Node also calls those added meanwhile, except at the end',
        },
        constants: {
          node: { returned: [0, 2, 'undefined'] },
          guest: { returned: [0, 2, 3] },
          because: 'Web IDL puts constants on the prototype too',
        },
        'isTrusted is own': {
          node: { threw: 'TypeError TypeError' },
          guest: { returned: [true, false] },
          because: 'isTrusted is [LegacyUnforgeable]: an own property of every event',
        },
        'nested dispatch of the same event': {
          node: { returned: ['text: Error'] },
          guest: { returned: ['text: InvalidStateError'] },
          because: 'the standard throws an InvalidStateError DOMException',
        },
      },
    );
  });
});

describe('AbortController and AbortSignal', () => {
  test('abort as Node does', async () => {
    await expectSameAsNode(
      guest,
      {
        fresh:
          'const c = new AbortController(); return [c.signal.aborted, c.signal.reason, c.signal.onabort, c.signal === c.signal]',
        'default reason':
          'const c = new AbortController(); c.abort(); const { reason } = c.signal; return [c.signal.aborted, reason.name, reason.code, reason instanceof DOMException]',
        'given reason':
          'const c = new AbortController(); c.abort(null); return [c.signal.reason, AbortSignal.abort(0).reason, AbortSignal.abort(undefined).reason.name]',
        'only the first reason':
          'const c = new AbortController(); c.abort(1); c.abort(2); return c.signal.reason',
        event:
          'const log = []; const c = new AbortController(); c.signal.onabort = function (e) { log.push("on", this === c.signal, e.type, e.isTrusted, e.target === c.signal) }; c.signal.addEventListener("abort", () => log.push("listener")); c.abort(); c.abort(); return log',
        'handler keeps its place':
          'const log = []; const c = new AbortController(); c.signal.onabort = () => log.push("old"); c.signal.addEventListener("abort", () => log.push("listener")); c.signal.onabort = () => log.push("new"); c.abort(); return log',
        'handler that is no function':
          'const c = new AbortController(); c.signal.onabort = 5; return c.signal.onabort',
        throwIfAborted: 'AbortSignal.abort("why").throwIfAborted()',
        'throwIfAborted of a fresh one': 'return new AbortController().signal.throwIfAborted()',
        constructor: 'return new AbortSignal()',
        timeout:
          'const s = AbortSignal.timeout(1); const before = s.aborted; await new Promise((r) => s.addEventListener("abort", r)); return [before, s.reason.name, s.reason.code]',
        'timeout of nothing': 'return AbortSignal.timeout()',
        'timeout below zero': 'return AbortSignal.timeout(-1)',
        any: 'const [a, b] = [new AbortController(), new AbortController()]; const s = AbortSignal.any([a.signal, b.signal]); const before = s.aborted; b.abort("b"); a.abort("a"); return [before, s.aborted, s.reason]',
        'any of nothing': 'return AbortSignal.any([]).aborted',
        'any of aborted ones': 'return AbortSignal.any([AbortSignal.abort(1), AbortSignal.abort(2)]).reason',
        'any of any':
          'const c = new AbortController(); const s = AbortSignal.any([AbortSignal.any([c.signal]), AbortSignal.any([AbortSignal.any([c.signal])])]); let n = 0; s.onabort = () => n++; c.abort("x"); return [n, s.reason]',
        'any of a set': 'return AbortSignal.any(new Set([AbortSignal.abort(3)])).reason',
        'any of something else': 'return AbortSignal.any([5])',
        'any without argument': 'return AbortSignal.any()',
        'order of dependents':
          'const log = []; const c = new AbortController(); const first = AbortSignal.any([c.signal]); const second = AbortSignal.any([first]); second.onabort = () => log.push("second"); first.onabort = () => log.push("first"); c.signal.onabort = () => log.push("source", first.aborted, second.aborted); c.abort(); return log',
        members:
          'return [Object.keys(AbortSignal.prototype).sort(), Object.keys(AbortController.prototype).sort(), AbortSignal.length]',
        'foreign receiver':
          'return Object.getOwnPropertyDescriptor(AbortSignal.prototype, "aborted").get.call({})',
      },
      {
        any: {
          node: { returned: [false, true, 'text: a'] },
          guest: { returned: [false, true, 'text: b'] },
          because: 'the first abort counts; Node lets a later one overwrite the reason of a dependent signal',
        },
        'handler that is no function': {
          node: { returned: 5 },
          guest: { returned: null },
          because: 'EventHandler is [LegacyTreatNonObjectAsNull]',
        },
        members: {
          node: { returned: [['text: aborted', 'text: onabort'], ['text: abort', 'text: signal'], 0] },
          guest: {
            returned: [
              ['text: aborted', 'text: onabort', 'text: reason', 'text: throwIfAborted'],
              ['text: abort', 'text: signal'],
              0,
            ],
          },
          because: 'Web IDL makes every member enumerable',
        },
        'order of dependents': {
          node: { returned: ['text: source', true, true, 'text: second', 'text: first'] },
          guest: { returned: ['text: source', true, true, 'text: first', 'text: second'] },
          because: 'dependent signals hear of the abort in the order in which they were made',
        },
        'timeout below zero': {
          node: { threw: 'RangeError RangeError' },
          guest: { threw: 'TypeError TypeError' },
          because: '[EnforceRange] makes it a TypeError',
        },
      },
    );
  });
});

describe('DOMException', () => {
  test('is what Node makes of it', async () => {
    await expectSameAsNode(guest, {
      fields:
        'const e = new DOMException("m", "NotFoundError"); return [e.name, e.message, e.code, e instanceof Error, String(e), Object.prototype.toString.call(e), typeof e.stack]',
      defaults: 'const e = new DOMException(); return [e.name, e.message, e.code]',
      'unknown name': 'return new DOMException("m", "Foo").code',
      codes:
        'return ["IndexSizeError", "AbortError", "TimeoutError", "DataCloneError", "QuotaExceededError", "SecurityError", "InvalidStateError", "toString"].map((n) => new DOMException("", n).code)',
      constants:
        'return [DOMException.ABORT_ERR, new DOMException().DATA_CLONE_ERR, Object.keys(DOMException).length]',
      'name is no own property':
        'return [Object.hasOwn(new DOMException("m"), "name"), Object.hasOwn(new DOMException("m"), "message")]',
      'without new': 'return DOMException()',
      'foreign receiver':
        'return Object.getOwnPropertyDescriptor(DOMException.prototype, "code").get.call({})',
    });
  });
});

describe('timers', () => {
  test('run as Node does', async () => {
    const run = (body: string, ms = 30): string =>
      `const log = []; ${body}; await new Promise((r) => setTimeout(r, ${ms})); return log`;
    await expectSameAsNode(guest, {
      'order by delay': run(
        'setTimeout(() => log.push(2), 12); setTimeout(() => log.push(1), 1); log.push(0)',
      ),
      'same delay keeps order': run('for (const i of [1, 2, 3]) setTimeout(() => log.push(i), 2)'),
      arguments: run('setTimeout((...a) => log.push(a), 1, "a", 2)'),
      cleared: run('const t = setTimeout(() => log.push(1), 1); clearTimeout(t)'),
      'cleared by the other function': run(
        'clearInterval(setTimeout(() => log.push(1), 1)); clearTimeout(setInterval(() => log.push(2), 1))',
      ),
      'clearing nonsense': run(
        'log.push(clearTimeout(), clearTimeout(null), clearTimeout("x"), clearTimeout({}), clearTimeout(99999), clearInterval(-1))',
        1,
      ),
      'interval cleared from its callback':
        'const log = []; await new Promise((done) => { const t = setInterval(() => { log.push(1); if (log.length === 3) { clearInterval(t); setTimeout(done, 10) } }, 1) }); return log',
      'negative, NaN and huge delays': run(
        'setTimeout(() => log.push(1), -5); setTimeout(() => log.push(2), NaN); setTimeout(() => log.push(3), 2 ** 32)',
      ),
      'no callback': 'return setTimeout()',
      'microtasks first': run(
        'setTimeout(() => log.push("timer"), 0); queueMicrotask(() => log.push("micro")); Promise.resolve().then(() => log.push("promise")); log.push("sync")',
      ),
      'microtasks between timers': run(
        'setTimeout(() => { log.push(1); queueMicrotask(() => log.push("m")) }, 1); setTimeout(() => log.push(2), 1)',
      ),
      'queueMicrotask of nothing': 'return queueMicrotask()',
      'queueMicrotask of a string': 'return queueMicrotask("x")',
    });
  });
});

describe('Blob, File and FormData', () => {
  test('hold what Node holds', async () => {
    const show = 'return [b.size, b.type, await b.text()]';
    const parts = [
      'undefined',
      '[]',
      '["a", "ä"]',
      '[Uint8Array.of(65), new Uint16Array([0x4241]).buffer]',
      '[new Blob(["x"]), "y"]',
      '[5, null, undefined, {}]',
      '"abc"',
      '5',
      'null',
      '{}',
      'new Set(["a", "b"])',
      '["\\ud800"]',
      '[new DataView(Uint8Array.of(65, 66).buffer, 1)]',
    ];
    await expectSameAsNode(
      guest,
      Object.fromEntries(parts.map((p) => [`Blob ${p}`, `const b = new Blob(${p}); ${show}`])),
    );
    const options = [
      '{ type: "Text/Plain" }',
      '{ type: "ä" }',
      '{ type: null }',
      '{ endings: "native" }',
      '{ endings: "x" }',
      '{ type: "a\\u0000" }',
      '{ type: "a;b=c" }',
      'undefined',
      'null',
      '5',
    ];
    await expectSameAsNode(
      guest,
      Object.fromEntries(
        options.map((o) => [`options ${o}`, `const b = new Blob(["a\\r\\nb"], ${o}); ${show}`]),
      ),
    );
    const slices = [
      '',
      '0',
      '1',
      '1, 3',
      '-2',
      '-4, -1',
      '3, 1',
      '0, 99',
      'NaN, 2',
      '1.5, 2.5',
      'undefined, 2',
      'null, null',
      '0, 2, "T/U"',
      '0, undefined, "ä"',
    ];
    await expectSameAsNode(
      guest,
      Object.fromEntries(
        slices.map((s) => [
          `slice ${s}`,
          `const b = new Blob(["hello"], { type: "x/y" }).slice(${s}); ${show}`,
        ]),
      ),
    );
    await expectSameAsNode(
      guest,
      {
        arrayBuffer: 'return new Blob(["ab"]).arrayBuffer()',
        bytes: 'return new Blob(["ab"]).bytes()',
        stream:
          'let n = 0; for await (const c of new Blob(["x".repeat(200000)]).stream()) n += c.length; return n',
        'copies its parts':
          'const a = Uint8Array.of(65); const b = new Blob([a]); a[0] = 66; return b.text()',
        File: 'const f = new File(["ab"], "n/ä", { type: "T", lastModified: 5.7 }); return [f.name, f.type, f.lastModified, f.size, f instanceof Blob, String(f)]',
        'File of too little': 'return new File(["a"])',
        'File of no sequence': 'return new File("a", "n")',
        'File dates':
          'return [typeof new File([], "").lastModified, new File([], "", { lastModified: null }).lastModified, new File([], "", { lastModified: -1 }).lastModified]',
        tags: 'return [String(new Blob()), Blob.length, File.length, Object.keys(Blob.prototype).filter((k) => k !== "textStream").sort(), Object.keys(File.prototype).sort()]',
      },
      {
        File: {
          node: { returned: ['text: n/ä', 'text: t', 5.7, 2, true, 'text: [object File]'] },
          guest: { returned: ['text: n/ä', 'text: t', 5, 2, true, 'text: [object File]'] },
          because: 'lastModified is a long long, which has no fraction',
        },
      },
    );
  });

  test('forms change and iterate as in Node', async () => {
    const form = (body: string): string =>
      `const f = new FormData(); f.append("a", "1"); f.append("b", "2"); f.append("a", "3"); ${body}`;
    await expectSameAsNode(guest, {
      get: form('return [f.get("a"), f.getAll("a"), f.get("z"), f.getAll("z"), f.has("b"), f.has("z")]'),
      set: form('f.set("a", "9"); f.set("c", "4"); return [...f]'),
      delete: form('f.delete("a"); return [...f]'),
      converted: form('f.append(1, null); f.append("\\ud800", "\\udc00"); return [...f]'),
      blob: form(
        'f.append("x", new Blob(["q"], { type: "t" })); const v = f.get("x"); return [v instanceof File, v.name, v.type, await v.text()]',
      ),
      file: form(
        'const file = new File(["q"], "n"); f.append("x", file); return [f.get("x") === file, f.get("x").name]',
      ),
      'renamed file': form(
        'f.append("x", new File(["q"], "n", { lastModified: 5 }), "m"); return [f.get("x").name]',
      ),
      'filename for a string': form('f.append("x", "y", "z")'),
      'too few arguments': form('f.append("x")'),
      forEach: form('const out = []; f.forEach((v, k, o) => out.push([v, k, o === f])); return out'),
      iterators: form(
        'return [[...f.keys()], [...f.values()], Object.prototype.toString.call(f.entries()), f[Symbol.iterator] === f.entries]',
      ),
      'of an element': 'return new FormData({})',
      members: 'return [Object.keys(FormData.prototype).sort(), FormData.length]',
    });
  });
});

describe('crypto and performance', () => {
  test('answer as Node does', async () => {
    const hex = '(b) => [...new Uint8Array(b)].map((x) => x.toString(16).padStart(2, "0")).join("")';
    const digests = [
      '"SHA-1"',
      '"SHA-256"',
      '"sha-384"',
      '{ name: "SHA-512" }',
      '"MD5"',
      '{}',
      'undefined',
      '5',
    ];
    await expectSameAsNode(
      guest,
      Object.fromEntries(
        digests.map((d) => [
          `digest ${d}`,
          `return (${hex})(await crypto.subtle.digest(${d}, new TextEncoder().encode("hello")))`,
        ]),
      ),
    );
    const arrays = [
      'new Uint8Array(4)',
      'new Float32Array(1)',
      'new DataView(new ArrayBuffer(2))',
      'new Uint8Array(65537)',
      'new Uint8Array(65536)',
      '[1]',
      'undefined',
      'new BigUint64Array(1)',
      'new Uint8ClampedArray(2)',
    ];
    await expectSameAsNode(
      guest,
      Object.fromEntries(
        arrays.map((a) => [
          `random ${a}`,
          `const a = ${a}; const r = crypto.getRandomValues(a); return [r === a, r.length]`,
        ]),
      ),
      Object.fromEntries(
        ['[1]', 'undefined'].map((a) => [
          `random ${a}`,
          {
            node: { threw: 'DOMException TypeMismatchError' },
            guest: { threw: 'TypeError TypeError' },
            because: 'Web IDL converts the argument to ArrayBufferView first, which is a TypeError',
          },
        ]),
      ),
    );
    await expectSameAsNode(guest, {
      'fills a view only':
        'const b = new ArrayBuffer(64); crypto.getRandomValues(new Uint8Array(b, 16, 32)); const a = new Uint8Array(b); return [a.subarray(0, 16).every((x) => x === 0), a.subarray(16, 48).some((x) => x !== 0), a.subarray(48).every((x) => x === 0)]',
      uuid: 'const id = crypto.randomUUID(); return [/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id), id !== crypto.randomUUID()]',
      'digest of a string': 'return crypto.subtle.digest("SHA-256", "x").then(() => 1, (e) => e.name)',
      constructors:
        'const out = []; for (const C of [Crypto, SubtleCrypto]) { try { new C(); out.push("made") } catch (e) { out.push(e.name) } } return out',
      performance:
        'const a = performance.now(); const b = performance.now(); return [b >= a, a > 0, Math.abs(performance.timeOrigin + a - Date.now()) < 5000, typeof performance.toJSON().timeOrigin]',
    });
  });
});

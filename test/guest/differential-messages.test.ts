import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectSameAsNode } from './differential.ts';
import { Guest } from './guest-context.ts';

let guest: Guest;
beforeAll(async () => {
  guest = await Guest.open();
});
afterAll(() => guest.close());

/** Both ports, a log of what the second one gets, and the time for it; Node must not be kept alive by them. */
const withPorts = (body: string): string =>
  `const { port1, port2 } = new MessageChannel(); const log = []; const later = () => new Promise((r) => setTimeout(r, 20));
   try { ${body} } finally { port1.close(); port2.close() }`;

describe('MessageChannel and MessagePort', () => {
  test('carry messages as Node does', async () => {
    await expectSameAsNode(
      guest,
      {
        'in order, later': withPorts(
          'port2.onmessage = (e) => log.push(e.data); port1.postMessage(1); port1.postMessage({ a: [new Map([[1, 2]])] }); log.push("sync"); await later(); return log',
        ),
        'both ways': withPorts(
          'port2.onmessage = (e) => port2.postMessage(e.data + 1); port1.onmessage = (e) => log.push(e.data); port1.postMessage(1); await later(); return log',
        ),
        'kept until started': withPorts(
          'port1.postMessage(1); port2.addEventListener("message", (e) => log.push(e.data)); await later(); log.push("start"); port2.start(); await later(); return log',
        ),
        'microtasks between': withPorts(
          'port2.onmessage = (e) => { log.push(e.data); queueMicrotask(() => log.push("micro")) }; port1.postMessage(1); port1.postMessage(2); await later(); return log',
        ),
        'copied when sent': withPorts(
          'const value = { a: 1 }; port2.onmessage = (e) => log.push(e.data.a, e.data === value); port1.postMessage(value); value.a = 2; await later(); return log',
        ),
        'a buffer transferred': withPorts(
          'const b = new ArrayBuffer(4); port2.onmessage = (e) => log.push(e.data.byteLength, e.ports.length); port1.postMessage(b, [b]); log.push(b.byteLength); await later(); return log',
        ),
        'a port transferred': withPorts(
          'const inner = new MessageChannel(); port2.onmessage = (e) => { log.push(e.ports.length, e.ports[0] === e.data.p); e.data.p.postMessage("hi") }; inner.port2.onmessage = (e) => log.push(e.data); port1.postMessage({ p: inner.port1 }, { transfer: [inner.port1] }); await later(); inner.port2.close(); return log',
        ),
        'what can not be cloned': withPorts('port1.postMessage(() => 1)'),
        nothing: withPorts('port1.postMessage()'),
        'the port itself': withPorts('port1.postMessage(1, [port1])'),
        'a port that is not transferred': withPorts('port1.postMessage(port2)'),
        'something that can not be transferred': withPorts('port1.postMessage(1, [{}])'),
        'after close': withPorts(
          'port2.onmessage = (e) => log.push(e.data); port1.close(); port1.postMessage(1); await later(); return log',
        ),
        'close is heard at the other end': withPorts(
          'port2.addEventListener("close", () => log.push("closed")); port2.start(); port1.close(); await later(); return log',
        ),
        'onmessage of nothing': withPorts('port2.onmessage = null; return port2.onmessage'),
        event: withPorts(
          'port2.onmessage = (e) => log.push(e instanceof MessageEvent, e.type, e.origin, e.lastEventId, e.source, Array.isArray(e.ports)); port1.postMessage(1); await later(); return log',
        ),
        constructor: 'return new MessagePort()',
        'structuredClone moves a port':
          'const { port1, port2 } = new MessageChannel(); const log = []; const moved = structuredClone(port2, { transfer: [port2] }); port1.onmessage = (e) => log.push(e.data); moved.postMessage("x"); await new Promise((r) => setTimeout(r, 20)); port1.close(); return [log, moved instanceof MessagePort]',
        'a port twice': withPorts('structuredClone(1, { transfer: [port1, port1] })'),
      },
      {
        'kept until started': {
          node: { returned: [1, 'text: start'] },
          guest: { returned: ['text: start', 1] },
          because: 'only setting onmessage starts a port by itself; Node starts it for a listener too',
        },
      },
    );
  });
});

describe('MessageEvent', () => {
  test('is what Node makes of it', async () => {
    await expectSameAsNode(guest, {
      defaults:
        'const e = new MessageEvent("m"); return [e.type, e.data, e.origin, e.lastEventId, e.source, e.ports.length, e.bubbles, e instanceof Event]',
      given:
        'const { port1 } = new MessageChannel(); const e = new MessageEvent("m", { data: { a: 1 }, origin: "http://x", lastEventId: 5, ports: [port1], source: port1, cancelable: true }); const r = [e.data, e.origin, e.lastEventId, e.ports[0] === port1, e.source === port1, e.cancelable]; port1.close(); return r',
      'data undefined': 'return new MessageEvent("m", { data: undefined }).data',
      'ports of something else': 'return new MessageEvent("m", { ports: [1] })',
      'ports that are no list': 'return new MessageEvent("m", { ports: 5 })',
      'source of something else': 'return new MessageEvent("m", { source: {} })',
      'without type': 'return new MessageEvent()',
    });
  });
});

describe('PromiseRejectionEvent and CryptoKey', () => {
  test('are there to be asked about', async () => {
    const seen = await guest.run(`
      const promise = Promise.resolve();
      const e = new PromiseRejectionEvent('unhandledrejection', { promise, reason: 5 });
      const refused = [];
      for (const make of [() => new PromiseRejectionEvent('x'), () => new PromiseRejectionEvent('x', {}), () => new CryptoKey()]) { try { make() } catch (error) { refused.push(error.name) } }
      return [e.promise === promise, e.reason, e instanceof Event, {} instanceof CryptoKey, refused]`);
    expect(seen).toEqual([true, 5, true, false, ['TypeError', 'TypeError', 'TypeError']]);
  });
});

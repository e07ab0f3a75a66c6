import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Guest } from './guest-context.ts';

let guest: Guest;
beforeAll(async () => {
  guest = await Guest.open();
});
afterAll(() => guest.close());

describe('globals', () => {
  test('every one that is there can be read and is something', async () => {
    const missing = await guest.run(
      'return Object.getOwnPropertyNames(globalThis).filter((name) => name !== "undefined" && globalThis[name] === undefined)',
    );
    expect(missing).toEqual([]);
  });

  test('one turns into a plain property at its first read, and can be replaced before', async () => {
    const result = await guest.run(`
      const before = 'get' in Object.getOwnPropertyDescriptor(globalThis, 'Blob');
      globalThis.Blob;
      const after = Object.getOwnPropertyDescriptor(globalThis, 'Blob');
      globalThis.fetch = 5;
      return [before, after.value === Blob, after.enumerable, after.writable, after.configurable, fetch];`);
    expect(result).toEqual([true, true, false, true, true, 5]);
  });

  test('interfaces are named and shaped as Web IDL says', async () => {
    const odd = await guest.run(`
      const odd = [];
      for (const name of Object.getOwnPropertyNames(globalThis)) {
        const value = globalThis[name];
        if (typeof value !== 'function' || !/^[A-Z]/.test(name) || String(value).includes('[native code]')) continue;
        if (name === 'FinalizationRegistry' || name === 'ArrayBuffer') continue;
        if (value.name !== name) odd.push(name + ' is called ' + value.name);
        if (name !== 'URLPattern' && value.prototype[Symbol.toStringTag] !== name) odd.push(name + ' has no tag');
        for (const key of Object.getOwnPropertyNames(value.prototype)) {
          if (key === 'constructor') continue;
          if (!Object.getOwnPropertyDescriptor(value.prototype, key).enumerable) odd.push(name + '.' + key);
        }
      }
      return odd;`);
    expect(odd).toEqual([]);
  });
});

test('ctx.signal is a true AbortSignal whatever the plugin made of the global one', async () => {
  const result = await guest.run(
    'const Real = AbortSignal; globalThis.AbortController = class {}; return [ctx.signal instanceof Real, ctx.signal.aborted, ctx.signal === ctx.signal]',
  );
  expect(result).toEqual([true, false, true]);
});

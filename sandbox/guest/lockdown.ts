/**
 * Takes away what no isolate limit counts or stops: WebAssembly memories, shared and resizable buffers, blocking
 * waits, and finalizers, which would run outside every timed region.
 */
import { defineProperty } from './intrinsics.ts';

export function lockDown(global: Record<string, unknown>): void {
  for (const name of ['WebAssembly', 'SharedArrayBuffer', 'Atomics']) delete global[name];
  replaceArrayBuffer(global);
  muteFinalizers(global);
}

function replaceArrayBuffer(global: Record<string, unknown>): void {
  const Native = ArrayBuffer;
  const Fixed = function ArrayBuffer(this: unknown, length?: unknown) {
    if (new.target === undefined) throw new TypeError("Constructor ArrayBuffer requires 'new'");
    // The options are not passed on: `maxByteLength` would make the buffer resizable.
    return Reflect.construct(Native, [length], new.target === (Fixed as unknown) ? Native : new.target); // same shape as a class
  };
  defineProperty(Fixed, 'length', { value: 1, configurable: true });
  defineProperty(Fixed, 'prototype', {
    value: Native.prototype,
    writable: false,
    enumerable: false,
    configurable: false,
  });
  defineProperty(Native.prototype, 'constructor', {
    value: Fixed,
    writable: true,
    enumerable: false,
    configurable: true,
  });
  defineProperty(Fixed, 'isView', {
    value: Native.isView,
    writable: true,
    enumerable: false,
    configurable: true,
  });
  defineProperty(Fixed, Symbol.species, { get: () => Fixed, configurable: true });
  for (const key of ['resize', 'resizable', 'maxByteLength'] as const)
    delete (Native.prototype as unknown as Record<string, unknown>)[key]; // optional members
  defineProperty(global, 'ArrayBuffer', {
    value: Fixed,
    writable: true,
    enumerable: false,
    configurable: true,
  });
}

function muteFinalizers(global: Record<string, unknown>): void {
  const Mute = class FinalizationRegistry {
    /** A registry whose callbacks never come is what the standard allows. */
    register(): void {}
    unregister(): boolean {
      return false;
    }
  };
  defineProperty(Mute.prototype, Symbol.toStringTag, { value: 'FinalizationRegistry', configurable: true });
  defineProperty(global, 'FinalizationRegistry', {
    value: Mute,
    writable: true,
    enumerable: false,
    configurable: true,
  });
}

import { type CloneRecord, ERROR_TYPES, type ErrorRecord } from './clone-record.ts';

type Memory = Map<CloneRecord, object>;

type ViewConstructor = new (buffer: ArrayBuffer, offset: number, length: number) => ArrayBufferView;

const VIEW_TYPES: Readonly<Record<string, ViewConstructor>> = {
  DataView,
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
};

export function deserialize(record: CloneRecord, transferred: readonly object[], memory: Memory): unknown {
  if (record.kind === 'primitive') return record.value;
  const known = memory.get(record);
  if (known !== undefined) return known;
  const remember = <T extends object>(value: T): T => {
    memory.set(record, value);
    return value;
  };
  const inner = (part: CloneRecord): unknown => deserialize(part, transferred, memory);
  switch (record.kind) {
    case 'wrapper':
      return remember(Object(record.value));
    case 'date':
      return remember(new Date(record.time));
    case 'regexp':
      return remember(new RegExp(record.source, record.flags));
    case 'buffer':
      return remember(record.bytes);
    case 'transfer':
      return transferred[record.index];
    case 'view':
      return remember(
        makeView(record.type, inner(record.buffer) as ArrayBuffer, record.offset, record.length),
      );
    case 'map': {
      const map = remember(new Map<unknown, unknown>());
      for (const [key, value] of record.entries) map.set(inner(key), inner(value));
      return map;
    }
    case 'set': {
      const set = remember(new Set<unknown>());
      for (const value of record.entries) set.add(inner(value));
      return set;
    }
    case 'error':
      return fillError(remember(makeError(record)), record, inner);
    case 'array':
      return defineAll(remember(new Array<unknown>(record.length)), record.properties, inner);
    case 'object':
      return defineAll(remember({}), record.properties, inner);
    case 'platform':
      return remember(record.copy());
  }
}

function makeView(type: string, buffer: ArrayBuffer, offset: number, length: number): ArrayBufferView {
  const Float16: unknown = Reflect.get(globalThis, 'Float16Array');
  const Constructor =
    type === 'Float16Array' && typeof Float16 === 'function'
      ? (Float16 as ViewConstructor) // newer than the compiler's types; same signature
      : (VIEW_TYPES[type] ?? DataView);
  return new Constructor(buffer, offset, length);
}

function makeError(record: ErrorRecord): Error {
  const Constructor = ERROR_TYPES[record.name] ?? Error;
  return record.message === undefined ? new Constructor() : new Constructor(record.message);
}

function fillError(error: Error, record: ErrorRecord, inner: (part: CloneRecord) => unknown): Error {
  const define = (key: string, value: unknown): void => {
    Object.defineProperty(error, key, { value, writable: true, enumerable: false, configurable: true });
  };
  if (record.stack !== undefined) define('stack', record.stack);
  if (record.cause !== undefined) define('cause', inner(record.cause));
  return error;
}

function defineAll(
  target: object,
  properties: readonly (readonly [string, CloneRecord])[],
  inner: (part: CloneRecord) => unknown,
): object {
  for (const [key, part] of properties) {
    // CreateDataProperty: no setter on a prototype is asked.
    Object.defineProperty(target, key, {
      value: inner(part),
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return target;
}

import { type CloneRecord, ERROR_TYPES, type ErrorRecord, serializables } from './clone-record.ts';
import { DOMException } from './dom-exception.ts';
import { interfacePrototypes, isArrayBuffer, isObject } from './webidl.ts';

type Memory = Map<object, CloneRecord>;
type Slot = 'map' | 'set' | 'buffer' | 'view' | 'platform' | 'opaque';

const getPrototypeOf = Object.getPrototypeOf as (value: object) => object | null; // typed `any` by the library
const generatorPrototype = getPrototypeOf(
  getPrototypeOf(function* () {}.prototype as object) as object,
) as object;
const asyncGeneratorPrototype = getPrototypeOf(
  getPrototypeOf(async function* () {}.prototype as object) as object,
) as object;

/** Built-in prototypes whose instances have internal slots that `Object.prototype.toString` doesn't tell. */
const slots = new Map<object, Slot>([
  [Map.prototype, 'map'],
  [Set.prototype, 'set'],
  [ArrayBuffer.prototype, 'buffer'],
  [getPrototypeOf(Uint8Array.prototype) as object, 'view'],
  [DataView.prototype, 'view'],
  [Promise.prototype, 'opaque'],
  [WeakMap.prototype, 'opaque'],
  [WeakSet.prototype, 'opaque'],
  [WeakRef.prototype, 'opaque'],
  [generatorPrototype, 'opaque'],
  [asyncGeneratorPrototype, 'opaque'],
  [getPrototypeOf(getPrototypeOf([][Symbol.iterator]()) as object) as object, 'opaque'],
]);

export function dataCloneError(what: string): DOMException {
  return new DOMException(`${what} could not be cloned.`, 'DataCloneError');
}

export function serialize(value: unknown, memory: Memory): CloneRecord {
  if (typeof value === 'symbol') throw dataCloneError(String(value));
  if (!isObject(value)) return { kind: 'primitive', value };
  const known = memory.get(value);
  if (known !== undefined) return known;
  if (typeof value === 'function') throw dataCloneError('A function');
  return serializeByTag(value, memory) ?? serializeBySlot(value, memory) ?? serializeObject(value, memory);
}

function remember<R extends CloneRecord>(memory: Memory, value: object, record: R): R {
  memory.set(value, record);
  return record;
}

/** Types that keep their builtin tag whatever their prototype is. */
function serializeByTag(value: object, memory: Memory): CloneRecord | undefined {
  if (Array.isArray(value)) return serializeArray(value, memory);
  // A tag of its own hides the builtin one; the internal slot then shows in the methods that need it.
  const tag = Symbol.toStringTag in value ? undefined : Object.prototype.toString.call(value);
  switch (tag) {
    case '[object Boolean]':
      return remember(memory, value, { kind: 'wrapper', value: Boolean.prototype.valueOf.call(value) });
    case '[object Number]':
      return remember(memory, value, { kind: 'wrapper', value: Number.prototype.valueOf.call(value) });
    case '[object String]':
      return remember(memory, value, { kind: 'wrapper', value: String.prototype.valueOf.call(value) });
    case '[object Date]':
      return remember(memory, value, { kind: 'date', time: Date.prototype.getTime.call(value) });
    case '[object RegExp]': {
      const { source, flags } = value as RegExp; // by its builtin tag
      return remember(memory, value, { kind: 'regexp', source, flags });
    }
    case '[object Error]':
      return serializeError(value as Error, memory); // by its builtin tag
    case '[object Arguments]':
      throw dataCloneError('An arguments object');
    default:
      return serializeTaggedWrapper(value, memory);
  }
}

/** BigInt and Symbol wrappers inherit a tag from their prototypes. */
function serializeTaggedWrapper(value: object, memory: Memory): CloneRecord | undefined {
  if (value instanceof BigInt) {
    return remember(memory, value, { kind: 'wrapper', value: BigInt.prototype.valueOf.call(value) });
  }
  if (value instanceof Symbol) throw dataCloneError('A Symbol object');
  return undefined;
}

function slotOf(value: object): Slot | undefined {
  for (let prototype = getPrototypeOf(value); prototype !== null; prototype = getPrototypeOf(prototype)) {
    if (prototype === Object.prototype) return undefined;
    if (interfacePrototypes.has(prototype)) return 'platform';
    const slot = slots.get(prototype);
    if (slot !== undefined) return slot;
  }
  return undefined;
}

function serializeBySlot(value: object, memory: Memory): CloneRecord | undefined {
  const slot = slotOf(value);
  if (slot === undefined) return undefined;
  if (slot === 'map' && isMap(value)) return serializeMap(value, memory);
  if (slot === 'set' && isSet(value)) return serializeSet(value, memory);
  if (slot === 'buffer' && isArrayBuffer(value)) return serializeBuffer(value, memory);
  if (slot === 'view' && ArrayBuffer.isView(value)) return serializeView(value, memory);
  if (slot === 'platform') return serializePlatform(value, memory);
  if (slot === 'opaque') throw dataCloneError(Object.prototype.toString.call(value));
  return undefined;
}

const mapSize = Object.getOwnPropertyDescriptor(Map.prototype, 'size')?.get;
const setSize = Object.getOwnPropertyDescriptor(Set.prototype, 'size')?.get;

function hasSlot(getter: (() => unknown) | undefined, value: object): boolean {
  try {
    getter?.call(value);
    return true;
  } catch {
    return false;
  }
}

function isMap(value: object): value is Map<unknown, unknown> {
  return hasSlot(mapSize, value);
}

function isSet(value: object): value is Set<unknown> {
  return hasSlot(setSize, value);
}

function serializeMap(value: Map<unknown, unknown>, memory: Memory): CloneRecord {
  const record = remember(memory, value, {
    kind: 'map',
    entries: [] as (readonly [CloneRecord, CloneRecord])[],
  });
  // Entries first: serializing one may run getters that change the map.
  const entries: [unknown, unknown][] = [];
  Map.prototype.forEach.call(value, (item, key) => entries.push([key, item]));
  record.entries = entries.map(([key, item]) => [serialize(key, memory), serialize(item, memory)] as const);
  return record;
}

function serializeSet(value: Set<unknown>, memory: Memory): CloneRecord {
  const record = remember(memory, value, { kind: 'set', entries: [] as CloneRecord[] });
  const entries: unknown[] = [];
  Set.prototype.forEach.call(value, (item) => entries.push(item));
  record.entries = entries.map((item) => serialize(item, memory));
  return record;
}

function serializeBuffer(value: ArrayBuffer, memory: Memory): CloneRecord {
  if (value.detached) throw dataCloneError('A detached ArrayBuffer');
  return remember(memory, value, { kind: 'buffer', bytes: ArrayBuffer.prototype.slice.call(value, 0) });
}

function serializeView(value: ArrayBufferView, memory: Memory): CloneRecord {
  if ((value.buffer as ArrayBuffer).detached) throw dataCloneError('A view of a detached ArrayBuffer');
  const type = typedArrayName(value) ?? 'DataView';
  const length = type === 'DataView' ? value.byteLength : (value as Uint8Array).length;
  const buffer = serialize(value.buffer, memory);
  return remember(memory, value, { kind: 'view', type, buffer, offset: value.byteOffset, length });
}

const typedArrayTag = Object.getOwnPropertyDescriptor(
  getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
)?.get;

function typedArrayName(value: ArrayBufferView): string | undefined {
  return typedArrayTag?.call(value) as string | undefined; // a string for typed arrays, undefined for the rest
}

function serializePlatform(value: object, memory: Memory): CloneRecord {
  const type = serializables.find((candidate) => candidate.matches(value));
  if (type === undefined) throw dataCloneError(Object.prototype.toString.call(value));
  return remember(memory, value, { kind: 'platform', copy: () => type.copy(value) });
}

function serializeError(value: Error, memory: Memory): CloneRecord {
  const nameValue: unknown = value.name;
  const name = nameValue === undefined ? 'Error' : String(nameValue);
  const message = Object.getOwnPropertyDescriptor(value, 'message');
  const stack: unknown = value.stack;
  const record: ErrorRecord = remember(memory, value, {
    kind: 'error',
    name: Object.hasOwn(ERROR_TYPES, name) ? name : 'Error',
    message: message !== undefined && 'value' in message ? String(message.value) : undefined,
    stack: typeof stack === 'string' ? stack : undefined,
  });
  const cause = Object.getOwnPropertyDescriptor(value, 'cause');
  if (cause !== undefined && 'value' in cause) record.cause = serialize(cause.value, memory);
  return record;
}

function serializeArray(value: unknown[], memory: Memory): CloneRecord {
  const record = remember(memory, value, {
    kind: 'array',
    length: value.length,
    properties: [] as (readonly [string, CloneRecord])[],
  });
  record.properties = serializeProperties(value, memory);
  return record;
}

function serializeObject(value: object, memory: Memory): CloneRecord {
  const record = remember(memory, value, {
    kind: 'object',
    properties: [] as (readonly [string, CloneRecord])[],
  });
  record.properties = serializeProperties(value, memory);
  return record;
}

function serializeProperties(value: object, memory: Memory): [string, CloneRecord][] {
  const properties: [string, CloneRecord][] = [];
  for (const key of Object.keys(value)) {
    // A getter before it may have removed it.
    if (Object.hasOwn(value, key)) properties.push([key, serialize(Reflect.get(value, key), memory)]);
  }
  return properties;
}

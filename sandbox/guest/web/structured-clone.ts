import { deserialize } from './clone-deserialize.ts';
import { type CloneRecord, serializables, transferables } from './clone-record.ts';
import { dataCloneError, serialize } from './clone-serialize.ts';
import { DOMException, isDOMException } from './dom-exception.ts';
import { isArrayBuffer, isObject, requireArguments, toDictionary, toSequence } from './webidl.ts';

serializables.push({
  matches: isDOMException,
  copy: (value) => {
    const { name, message, stack } = value as DOMException; // matched
    const copy = new DOMException(message, name);
    Object.defineProperty(copy, 'stack', {
      value: stack,
      writable: true,
      enumerable: false,
      configurable: true,
    });
    return copy;
  },
});

transferables.push({
  matches: isArrayBuffer,
  transfer(value) {
    const buffer = value as ArrayBuffer; // matched
    if (buffer.detached) throw dataCloneError('A detached ArrayBuffer');
    return ArrayBuffer.prototype.transfer.call(buffer);
  },
});

/** "StructuredSerializeWithTransfer": the value as a record, and what the transferred objects have become. */
export function serializeWithTransfer(
  value: unknown,
  transfer: unknown,
  what: string,
  sender?: object,
): { readonly record: CloneRecord; readonly transferred: readonly object[] } {
  const memory = new Map<object, CloneRecord>();
  const moving: { readonly item: object; readonly transfer: (item: object) => object }[] = [];
  for (const item of transfer === undefined ? [] : toSequence(transfer, `${what}: transfer`)) {
    if (!isObject(item)) throw new TypeError(`${what}: an element of transfer is not an object.`);
    const kind = transferables.find(({ matches }) => matches(item));
    if (kind === undefined || item === sender) throw dataCloneError('A value in the transfer list');
    if (memory.has(item)) throw dataCloneError('An object that is twice in the transfer list');
    memory.set(item, { kind: 'transfer', index: moving.length });
    moving.push({ item, transfer: kind.transfer });
  }
  const record = serialize(value, memory);
  // Only now: a getter that ran in between may have detached one.
  return { record, transferred: moving.map(({ item, transfer: move }) => move(item)) };
}

export function structuredClone(value: unknown, options: unknown = undefined): unknown {
  requireArguments(arguments.length, 1, 'structuredClone');
  const { transfer } = toDictionary(options, 'structuredClone: options');
  const { record, transferred } = serializeWithTransfer(value, transfer, 'structuredClone');
  return deserialize(record, transferred, new Map());
}

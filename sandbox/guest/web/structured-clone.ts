import { deserialize } from './clone-deserialize.ts';
import { type CloneRecord, serializables } from './clone-record.ts';
import { dataCloneError, serialize } from './clone-serialize.ts';
import { DOMException, isDOMException } from './dom-exception.ts';
import { isArrayBuffer, requireArguments, toDictionary, toSequence } from './webidl.ts';

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

export function structuredClone(value: unknown, options: unknown = undefined): unknown {
  requireArguments(arguments.length, 1, 'structuredClone');
  const { transfer } = toDictionary(options, 'structuredClone: options');
  const memory = new Map<object, CloneRecord>();
  const buffers: ArrayBuffer[] = [];
  for (const item of transfer === undefined
    ? []
    : toSequence(transfer, 'structuredClone: options.transfer')) {
    if (!isArrayBuffer(item)) throw dataCloneError('A value in the transfer list');
    if (memory.has(item)) throw dataCloneError('An ArrayBuffer that is twice in the transfer list');
    memory.set(item, { kind: 'transfer', index: buffers.length });
    buffers.push(item);
  }
  const record = serialize(value, memory);
  // Only now: a getter that ran in between may have detached one.
  const transferred = buffers.map((buffer) => {
    if (buffer.detached) throw dataCloneError('A detached ArrayBuffer');
    return ArrayBuffer.prototype.transfer.call(buffer);
  });
  return deserialize(record, transferred, new Map());
}

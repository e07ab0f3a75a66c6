import { type JsonPath, type Position, parseJsonText } from '../config/json-text.ts';
import { pathKeys, pointerKeys } from '../schema/pointer.ts';

/** A JSON file as it is written, with the place of each value. */
export interface JsonSource {
  /** Absolute. */
  readonly file: string;
  readonly text: string;
  /** Undefined where the text is no JSON. */
  readonly value: unknown;
  /** The place of a value, or of the nearest one around it that is there. */
  positionOf(path: JsonPath): Position;
  /** As {@link positionOf}, by JSON Pointer. */
  at(pointer: string): Position;
}

const START: Position = { line: 1, column: 1 };

export function readJsonSource(file: string, text: string): JsonSource {
  const json = parseJsonText(text);
  const value = json.ok ? json.value : undefined;
  const positionOf = (path: JsonPath): Position => {
    if (!json.ok) return json.position;
    for (let length = path.length; length > 0; length -= 1) {
      const found = json.positionOf(path.slice(0, length));
      if (found !== undefined) return found;
    }
    return START;
  };
  return {
    file,
    text,
    value,
    positionOf,
    at: (pointer) => positionOf(pathKeys(value, pointerKeys(pointer).length === 0 ? '' : pointer)),
  };
}

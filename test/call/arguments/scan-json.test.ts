import { describe, expect, test } from 'vitest';
import { scanJson } from '../../../core/call/arguments/scan-json.ts';

const DOCUMENT = '{"a": [1, -2.5e+3, true, null, "x\\u00e9\\n", {"b": {}}], "c": "d"}';

describe('scanJson', () => {
  test('calls every proper beginning of a document cut, and the whole of it complete', () => {
    for (let length = 1; length < DOCUMENT.length; length += 1) {
      expect(scanJson(DOCUMENT.slice(0, length)), DOCUMENT.slice(0, length)).toEqual({ kind: 'cut' });
    }
    expect(scanJson(DOCUMENT).kind).toBe('complete');
  });

  test.each([
    ["{'a': 1}", 1, 'key_or_end'],
    ['{a: 1}', 1, 'key_or_end'],
    ['{"a" 1}', 5, 'colon'],
    ['{"a": 1,}', 8, 'key'],
    ['{"a": 1 "b": 2}', 8, 'comma_or_end'],
    ['{"a": True}', 6, 'value'],
    ['{"a": nil}', 6, 'literal'],
    ['{"a": 01}', 7, 'comma_or_end'],
    ['{"a": +1}', 6, 'value'],
    ['{"a": "x\ny"}', 8, 'control_character'],
    ['{"a": "\\q"}', 7, 'escape'],
    ['{"a": "\\u00g0"}', 11, 'escape'],
    ['{"a": 1} {"b": 2}', 9, 'end_of_text'],
    ['{"a": [1, 2}', 11, 'comma_or_end'],
    ['```json\n{}\n```', 0, 'value'],
    ['{"a": -}', 6, 'number'],
  ])('calls %j malformed at the right place', (text, index, expected) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(scanJson(text)).toEqual({ kind: 'malformed', index, expected });
  });

  test.each(['0', '-0', '1e5', '[]', '{}', ' {"a":[{"b":[[]]}]} ', '"\\ud800"', 'null', '1.0'])(
    'agrees with JSON.parse that %j is JSON',
    (text) => {
      expect(() => JSON.parse(text)).not.toThrow();
      expect(scanJson(text).kind).toBe('complete');
    },
  );

  test('reports keys given twice in one object, and only those', () => {
    expect(scanJson('{"a": {"x": 1}, "b": {"x": 2}}')).not.toHaveProperty('facts.duplicateKey');
    expect(scanJson('{"a": [{"x": 1, "\\u0078": 2}]}')).toHaveProperty('facts.duplicateKey', 'x');
  });

  test('survives nesting as deep as the text is long', () => {
    expect(scanJson('['.repeat(200_000))).toEqual({ kind: 'cut' });
    expect(scanJson(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)).toHaveProperty('facts.depth', 200_000);
  });
});

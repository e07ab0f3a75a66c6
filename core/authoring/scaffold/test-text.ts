import type { Example, TestDraft } from './draft.ts';

/** Of a plugin's test in either language. */
export function testFile(isJavaScript: boolean): string {
  return isJavaScript ? 'index.test.js' : 'index.test.ts';
}

/** A test that calls the plugin with its example, in the real sandbox. */
export function exampleTest(isJavaScript: boolean): TestDraft {
  return { file: testFile(isJavaScript), text: (example) => exampleText(example) };
}

function exampleText(example: Example): string {
  const { arguments: args, result } = example;
  const expected = result === undefined ? '{ ok: true }' : `{ ok: true, value: ${code(result)} }`;
  return `import { openPlugin } from 'glovebox/test';
import { expect, it } from 'vitest';

it('answers its example', async () => {
  await using tool = await openPlugin(import.meta.dirname);
  expect(await tool.call(${code(args)})).toMatchObject(${expected});
});

it('says what is wrong with arguments that it does not know', async () => {
  await using tool = await openPlugin(import.meta.dirname);
  const result = await tool.call({ ...${code(args)}, unknown: true });
  expect(result).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
});
`;
}

/** A value as code: JSON, with names bare where they may be. */
export function code(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(code).join(', ')}]`;
  if (typeof value === 'string') return quote(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  const entries = Object.entries(value).map(([key, each]) => `${propertyName(key)}: ${code(each)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

export function propertyName(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) && key !== '__proto__' ? key : quote(key);
}

export function quote(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  // What ends a line in code ends a string too.
  return `'${inner.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`;
}

import { expect, test } from 'vitest';
import { LineReader } from '../../../../core/adapters/mcp/client/line-reader.ts';

function reader(maxBytes: number) {
  const lines: string[] = [];
  const tooLong: [string, string][] = [];
  const made = new LineReader({
    maxBytes,
    onLine: (line) => lines.push(line),
    onTooLong: (head, tail) => tooLong.push([head, tail]),
  });
  return { made, lines, tooLong };
}

test('a line is the same in whatever pieces it comes', () => {
  const text = `${'0123456789'.repeat(1_000)}\nshort\n\n`;
  for (const size of [1, 7, 1_024, 100_000]) {
    const { made, lines } = reader(20_000);
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) made.push(bytes.subarray(at, at + size));
    expect(lines).toEqual(text.split('\n').slice(0, -1));
  }
});

test('of a line that is too long its ends are told, in whatever pieces it comes', () => {
  for (const size of [1, 7, 1_024, 100_000]) {
    const { made, lines, tooLong } = reader(5_000);
    const bytes = Buffer.from(`begin${'x'.repeat(20_000)}end\nnext\n`);
    for (let at = 0; at < bytes.length; at += size) made.push(bytes.subarray(at, at + size));
    expect(tooLong).toEqual([[expect.stringMatching(/^begin/), expect.stringMatching(/end$/)]]);
    expect(lines).toEqual(['next']);
  }
});

test('a line in single bytes takes little more memory than its bytes', () => {
  const { made } = reader(16 * 1024 * 1024);
  const byte = Buffer.from('x');
  const before = process.memoryUsage();
  for (let count = 0; count < 1_000_000; count++) made.push(byte);
  const after = process.memoryUsage();
  const grown = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  expect(grown).toBeLessThan(64 * 1024 * 1024);
});

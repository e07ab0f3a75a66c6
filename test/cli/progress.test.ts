import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { setQuiet, startProgress } from '../../core/cli/output.ts';

function stream(isTTY: boolean) {
  const made = new PassThrough();
  let text = '';
  made.on('data', (chunk) => {
    text += String(chunk);
  });
  // As much of a terminal as a progress line looks at.
  const terminal = Object.assign(made, { isTTY, columns: 40 }) as unknown as NodeJS.WriteStream;
  return { terminal, text: () => text };
}

it('writes over one line of a terminal, cut to its width, and leaves nothing behind', () => {
  const { terminal, text } = stream(true);
  const progress = startProgress('checking', terminal);
  progress.step(3, 3, `weather\u001b[2J${'x'.repeat(100)}`);
  progress.end();
  expect(text()).toMatch(/^checking 3\/3 weatherx+\r +\r$/);
  expect(text().indexOf('\r')).toBeLessThan(40);
});

it('writes nothing into a pipe, and nothing under --quiet', () => {
  const pipe = stream(false);
  startProgress('checking', pipe.terminal).step(1, 1, 'weather');
  expect(pipe.text()).toBe('');
  setQuiet(true);
  const quiet = stream(true);
  startProgress('checking', quiet.terminal).step(1, 1, 'weather');
  setQuiet(false);
  expect(quiet.text()).toBe('');
});

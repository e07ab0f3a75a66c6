import { afterAll, beforeAll, expect, test } from 'vitest';
import { Guest } from './guest-context.ts';

let guest: Guest;
beforeAll(async () => {
  guest = await Guest.open();
});
afterAll(() => guest.close());

/** 20 levels deep, of which the HTML standard gives 4 ms to each but the first five. */
const LEAST_MS = 15 * 4 - 5;

test.each([
  [
    'set by timers',
    'await new Promise((done) => { const next = () => (++count < 20 ? setTimeout(next, 0) : done()); setTimeout(next, 0); })',
  ],
  [
    'of an interval',
    'await new Promise((done) => { const t = setInterval(() => { if (++count === 20) { clearInterval(t); done(); } }, 0); })',
  ],
])('timers of 0 ms %s wait 4 ms from the sixth level on', async (_what, code) => {
  const passed = await guest.run(
    `let count = 0; const began = performance.now(); ${code}; return performance.now() - began;`,
  );
  expect(passed).toBeGreaterThanOrEqual(LEAST_MS);
});

test('timers that were not set by timers are not held up', async () => {
  const levels = await guest.run(`
    const order = [];
    for (let i = 0; i < 30; i++) setTimeout(() => order.push('flat'), 0);
    setTimeout(() => order.push('later'), 3);
    await new Promise((done) => setTimeout(done, 30));
    return order.at(-1);`);
  expect(levels).toBe('later');
});

test('a call holds a bounded number of timers, and room comes back when they have fired or are cleared', async () => {
  const answer = await guest.run(`
    const timers = [];
    let message;
    try { for (;;) timers.push(setTimeout(() => {}, 60_000)); } catch (error) { message = error.name + ': ' + error.message; }
    const most = timers.length;
    clearTimeout(timers.pop());
    const again = setTimeout(() => {}, 60_000) > 0;
    for (const timer of timers) clearTimeout(timer);
    await new Promise((done) => setTimeout(done, 1));
    return [message, most, again];`);
  expect(answer).toEqual([
    'RangeError: more than 1000 timers at one time; clear some, or wait until they have fired',
    1000,
    true,
  ]);
});

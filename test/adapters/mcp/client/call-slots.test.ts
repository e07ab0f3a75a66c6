import { expect, test } from 'vitest';
import { CallSlots } from '../../../../core/adapters/mcp/client/call-slots.ts';

test('a slot that becomes free goes to who waits, and to nobody besides', async () => {
  const slots = new CallSlots();
  const { signal } = new AbortController();
  let running = 0;
  let most = 0;
  const work = async () => {
    const slot = await slots.take({ concurrency: 1, queue: 10 }, signal);
    if (typeof slot === 'string') throw new Error(slot);
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    slot.release();
    // In the very moment in which the slot changes hands.
    return running;
  };
  const again = async () => {
    await work();
    await work();
  };
  await Promise.all([again(), again(), again()]);
  expect(most).toBe(1);
  expect(await slots.take({ concurrency: 1, queue: 0 }, signal)).toBeTypeOf('object');
});

test('who leaves the queue takes no slot along', async () => {
  const slots = new CallSlots();
  const limits = { concurrency: 1, queue: 10 };
  const first = await slots.take(limits, new AbortController().signal);
  const leaving = new AbortController();
  const left = slots.take(limits, leaving.signal);
  leaving.abort();
  expect(await left).toBe('aborted');
  if (typeof first === 'object') first.release();
  expect(await slots.take(limits, new AbortController().signal)).toBeTypeOf('object');
});

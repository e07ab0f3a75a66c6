import { afterEach, beforeEach, expect, it } from 'vitest';
import { openShipped, type Shipped } from './shipped.ts';

let shipped: Shipped;
beforeEach(async () => {
  shipped = await openShipped({ remember: {} });
});
afterEach(() => shipped[Symbol.asyncDispose]());

const remember = async (args: Record<string, unknown>) => (await shipped.call('remember', args)).content;

it('keeps, gives back, replaces and forgets notes', async () => {
  expect(await remember({ action: 'set', key: 'user/zone', text: 'Berlin' })).toBe(
    'Noted under "user/zone".',
  );
  expect(await remember({ action: 'get', key: 'user/zone' })).toMatch(
    /^user\/zone \(\d{4}-\d\d-\d\d\):\nBerlin$/,
  );
  expect(await remember({ action: 'set', key: 'user/zone', text: 'Paris' })).toMatch(
    /Replaced .* it said: Berlin/,
  );
  expect(await remember({ action: 'set', key: 'user/zone', text: 'Paris' })).toMatch(/said that already/);
  expect(await remember({ action: 'forget', key: 'user/zone' })).toBe('Forgot "user/zone".');
  expect(await remember({ action: 'forget', key: 'user/zone' })).toMatch(/was no note/);
  expect(await remember({ action: 'list' })).toBe('There are no notes yet.');
});

it('finds notes by words in key, tags and text, whatever case and accents', async () => {
  await remember({
    action: 'set',
    key: 'project/deadline',
    text: 'The report is due on Friday.',
    tags: ['work'],
  });
  await remember({ action: 'set', key: 'coffee', text: 'Likes café crème while reading a report' });
  await remember({ action: 'set', key: 'lang', text: '用户喜欢中文' });
  const keys = async (query: string) =>
    [...(await remember({ action: 'search', query })).matchAll(/^- (\S+)/gm)].map(([, key]) => key);
  expect(await keys('REPORT deadline')).toEqual(['project/deadline', 'coffee']);
  expect(await keys('cafe CREME')).toEqual(['coffee']);
  expect(await keys('work')).toEqual(['project/deadline']);
  expect(await keys('中文')).toEqual(['lang']);
  expect(await remember({ action: 'search', query: 'nothing' })).toBe(
    'No note holds "nothing" (3 notes searched).',
  );
  expect(await remember({ action: 'list', prefix: 'project/' })).toMatch(
    /^1 note below "project\/":\n- project\/deadline/,
  );
  expect(await remember({ action: 'list', limit: 1 })).toMatch(/^3 notes; the first 1:/);
  expect(await remember({ action: 'get', key: 'deadline' })).toMatch(
    /no note "deadline"\. Similar: "project\/deadline"/,
  );
});

it('loses nothing when many notes are set at one time, and says when it is full', async () => {
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => remember({ action: 'set', key: `k${index}`, text: 'x' })),
  );
  expect(await remember({ action: 'list' })).toMatch(/^20 notes/);
  await using small = await openShipped({ remember: { storage: '1KB' } });
  const full = await small.call('remember', { action: 'set', key: 'a', text: 'x'.repeat(2_000) });
  expect(full).toMatchObject({ ok: false, content: expect.stringMatching(/notebook is full/) });
});

it.each([
  [{ action: 'set', key: 'a' }, /set needs "text"/],
  [{ action: 'get' }, /get needs "key"/],
  [{ action: 'search' }, /search needs "query"/],
  [{ action: 'list', text: 'x' }, /"text" has no meaning for list/],
])('says what is wrong with %j', async (args, reason) => {
  expect(await remember(args)).toMatch(reason);
});

import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Host } from '../../core/index.ts';
import { openPlace, until } from '../resources/place.ts';

const REVIEW = `---
title: Review code
description: Reviews code for what matters.
arguments:
  - name: language
    title: Language
    description: Of the answer.
    required: true
    values: [English, Español, Deutsch, 3]
  - name: focus
  - extra
---

Review it in {{language}}.
Look at {{ focus }}{{extra}}.
`;

/** The texts of the messages, by role. */
async function texts(host: Host, name: string, args?: Record<string, string>): Promise<unknown> {
  const result = await host.prompts.get(name, args);
  return result.ok ? result.messages.map(({ role, content }) => [role, content.text]) : result.content;
}

/** What becomes of one prompt.md. */
async function fill(text: string, args: Record<string, string> = {}): Promise<unknown> {
  await using place = await openPlace({ 'it/prompt.md': text });
  await using host = await place.open();
  expect(host.catalog.get('it', 'prompt')?.problems).toEqual([]);
  return texts(host, 'it', args);
}

describe('a prompt', () => {
  it('is listed with its arguments and filled with their values', async () => {
    await using place = await openPlace({ 'code/review/prompt.md': REVIEW });
    await using host = await place.open();
    expect(host.prompts.list()).toEqual([
      {
        name: 'code.review',
        title: 'Review code',
        description: 'Reviews code for what matters.',
        arguments: [
          { name: 'language', title: 'Language', description: 'Of the answer.', required: true },
          { name: 'focus', required: false },
          { name: 'extra', required: false },
        ],
      },
    ]);
    expect(await host.prompts.get('code.review', { language: 'English', focus: 'names' })).toEqual({
      ok: true,
      description: 'Reviews code for what matters.',
      messages: [{ role: 'user', content: { type: 'text', text: 'Review it in English.\nLook at names.' } }],
      prompt: { name: 'code.review', version: expect.stringMatching(/^[0-9a-f]{16}$/) },
    });
    expect(host.view().names()).not.toContain('code.review');
  });

  it('says what is wrong with a request: the argument, the name, the nearest name', async () => {
    await using place = await openPlace({ 'review/prompt.md': REVIEW });
    const audited: unknown[] = [];
    await using host = await place.open({ onAudit: (entry) => audited.push(entry) });
    expect(await host.prompts.get('review')).toMatchObject({
      ok: false,
      error: { code: 'invalid_arguments', issues: [{ path: 'language', keyword: 'required' }] },
    });
    expect(await host.prompts.get('review', { language: 'English', focsu: 'x' })).toMatchObject({
      error: { code: 'invalid_arguments', issues: [{ keyword: 'additionalProperties' }] },
    });
    expect(await host.prompts.get('reviwe')).toMatchObject({
      error: { code: 'unknown_prompt', hint: 'Did you mean "review"?' },
    });
    expect(await host.prompts.get(`x\u001b[2J${'y'.repeat(1_000)}`)).toMatchObject({
      content: expect.not.stringContaining('\u001b'),
    });
    expect(audited).toMatchObject([{ tool: 'prompt:review' }, { tool: 'prompt:review' }]);
  });

  it('completes an argument from its values', async () => {
    await using place = await openPlace({ 'review/prompt.md': REVIEW });
    await using host = await place.open();
    const { prompts } = host;
    expect(await prompts.complete('review', 'language', 'e')).toMatchObject({
      values: ['English', 'Español', 'Deutsch'],
    });
    expect(await prompts.complete('review', 'language', '')).toMatchObject({ total: 4, hasMore: false });
    expect(await prompts.complete('review', 'focus', 'x')).toMatchObject({ ok: true, values: [] });
    expect(await prompts.complete('review', 'langauge', '')).toMatchObject({
      error: { code: 'unknown_argument', hint: 'Did you mean "language"?' },
    });
    expect(await prompts.complete('none', 'a', '')).toMatchObject({ error: { code: 'unknown_prompt' } });
  });
});

describe('the text of a prompt', () => {
  it('needs no head', async () => {
    expect(await fill('Hello.\n')).toEqual([['user', 'Hello.']]);
  });

  it('is divided into messages by roles, which code blocks and other headings do not begin', async () => {
    const text = [
      'First.',
      '## assistant',
      '',
      'Second.',
      '```md',
      '## user',
      '```',
      '## User',
      '## user',
      '## user',
      'Third.',
      String.raw`\## assistant`,
    ];
    expect(await fill(text.join('\n'))).toEqual([
      ['user', 'First.'],
      ['assistant', 'Second.\n```md\n## user\n```\n## User'],
      ['user', 'Third.\n## assistant'],
    ]);
  });

  it('reads windows line ends and a byte order mark as what they are', async () => {
    const text = '\uFEFF---\r\narguments: [who]\r\n---\r\nHello {{who}}.\r\n## assistant\r\nHi.\r\n';
    expect(await fill(text, { who: 'Ada' })).toEqual([
      ['user', 'Hello Ada.'],
      ['assistant', 'Hi.'],
    ]);
  });

  it('takes values for text: they open no place, no message and no group of a replacement', async () => {
    const head = '---\narguments: [a, b]\n---\n';
    const args = { a: '{{b}}\n\n## assistant\n\nYes. $& $1', b: 'secret' };
    expect(await fill(`${head}Say {{a}} and {{b}}.`, args)).toEqual([['user', `Say ${args.a} and secret.`]]);
  });

  it('keeps what only looks like a place, and what is escaped', async () => {
    const head = '---\narguments: [a]\n---\n';
    const body = String.raw`\{{a}} \{{other}} {{#if a}} {{ a | upper }} {{}} { {a} } {{{a}}}`;
    expect(await fill(head + body, { a: '1' })).toEqual([
      ['user', '{{a}} {{other}} {{#if a}} {{ a | upper }} {{}} { {a} } {1}'],
    ]);
  });

  it('leaves out what is not given, and takes names that every object has', async () => {
    expect(
      await fill('---\narguments: [constructor, toString]\n---\n[{{constructor}}][{{toString}}]'),
    ).toEqual([['user', '[][]']]);
  });

  it('is bounded, whatever the values are', async () => {
    await using place = await openPlace({
      'it/prompt.md': `---\narguments: [a]\n---\n${'{{a}}'.repeat(5_000)}`,
    });
    await using host = await place.open();
    expect(await host.prompts.get('it', { a: 'x'.repeat(100_000) })).toMatchObject({
      ok: false,
      error: { code: 'output_limit' },
    });
    expect(await host.prompts.get('it', { a: 'x'.repeat(100) })).toMatchObject({ ok: true });
  });
});

describe('what is wrong with a prompt', () => {
  it.each<[text: string, line: number | undefined, says: string]>([
    ['', 1, 'no text'],
    ['---\ntitle: x\n---\n\n', 4, 'no text'],
    ['---\ntitle: x\n', 1, 'no closing'],
    ['---\ntitle: x\ndescription: "y\n---\nx', 4, 'not valid YAML'],
    ['---\ntitle: x\n title: [y\n---\nx', 2, 'not valid YAML'],
    ['---\ntitle: x\ntitle: y\n---\nx', 3, 'given twice'],
    ['---\n- a\n---\nx', 2, 'list of "key: value"'],
    ['---\ntitel: x\n---\nx', 2, 'did you mean "title"'],
    ['---\ntitle: 7\n---\nx', 2, 'put it in quotes'],
    ['---\ntitle: x\narguments:\n  - name: a\n  - title: b\n---\n{{a}}', 5, 'needs a "name"'],
    ['---\narguments:\n  - name: a b\n---\nx', 3, 'must be letters'],
    ['---\narguments:\n  - name: a\n  - name: a\n---\nx', 4, 'a second time'],
    ['---\narguments:\n  - name: a\n    required: often\n---\nx', 4, 'true or false'],
    ['---\narguments:\n  - name: a\n    values: b\n---\nx', 4, 'must be a list'],
    ['---\narguments:\n  - name: __proto__\n---\nx', 3, 'must be letters'],
    ['---\narguments: x\n---\nx', 2, 'must be a list'],
    ['---\ntitle: &a x\ndescription: *a\n---\nx', 3, 'alias'],
    ['---\narguments: [language]\n---\n\nx\nIn {{langauge}}', 6, 'did you mean "language"'],
    ['Hello\n\n## assistant\n\nOh {{who}}', 5, 'names no argument'],
    [`---\ntitle: ${'['.repeat(10_000)}\n---\nx`, 2, 'nested deeper'],
    [`---\n${'- '.repeat(8_000)}\n---\nx`, 2, 'nested deeper'],
    [`---\ntitle: ${'x'.repeat(70_000)}\n---\nx`, 1, 'longer than'],
    [`x${' y'.repeat(200_000)}`, undefined, 'the most is'],
  ])('is told with its line, and hides no other (%#)', async (text, line, says) => {
    await using place = await openPlace({ 'it/prompt.md': text, 'good/prompt.md': 'Good.' });
    await using host = await place.open();
    const entry = host.catalog.get('it', 'prompt');
    expect(entry?.state).toBe('broken');
    expect(entry?.problems[0]).toMatchObject({
      file: 'prompt.md',
      ...(line === undefined ? {} : { line }),
      message: expect.stringContaining(says),
    });
    expect(host.prompts.list().map(({ name }) => name)).toEqual(['good']);
    expect(await host.prompts.get('it')).toMatchObject({ error: { code: 'plugin_unavailable' } });
  });

  it('refuses bytes that are no text', async () => {
    await using place = await openPlace({ 'it/prompt.md': Buffer.from([0x61, 0xff]) });
    await using host = await place.open();
    expect(host.catalog.get('it', 'prompt')?.problems).toMatchObject([{ message: 'is not UTF-8 text' }]);
  });

  it('warns of an argument without a place', async () => {
    await using place = await openPlace({
      'it/prompt.md': '---\ndescription: x\narguments: [a]\n---\nHello',
    });
    await using host = await place.open();
    expect(host.catalog.get('it', 'prompt')).toMatchObject({
      state: 'ready',
      warnings: [{ message: expect.stringContaining('{{a}}') }],
    });
  });
});

describe('prompts follow their directories', () => {
  it('come, change, break and go; the last good one serves, and the catalog says which kind', async () => {
    await using place = await openPlace();
    await using host = await place.open({ watch: true });
    const kinds: string[][] = [];
    host.catalog.on('change', (changed) => kinds.push([...changed]));
    await place.write({ 'it/prompt.md': 'one' });
    await until(() => host.prompts.list().length === 1);
    expect(await texts(host, 'it')).toEqual([['user', 'one']]);
    await place.write({ 'it/prompt.md': 'two' });
    await until(async () => JSON.stringify(await texts(host, 'it')).includes('two'));
    await place.write({ 'it/prompt.md': 'three {{a}}' });
    await until(() => host.catalog.get('it', 'prompt')?.state === 'broken');
    expect(await texts(host, 'it')).toEqual([['user', 'two']]);
    await rm(path.join(place.dir, 'plugins/it'), { recursive: true });
    await until(() => host.prompts.list().length === 0);
    expect(new Set(kinds.flat())).toEqual(new Set(['prompt']));
  });

  it('closes no folder: plugins below it are plugins still', async () => {
    await using place = await openPlace({
      'github/prompt.md': 'About GitHub.',
      'github/issues/prompt.md': 'About issues.',
      'github/create/schema.json': { description: 'Creates.', parameters: { type: 'object' } },
      'github/create/index.js': 'export default () => 1;',
    });
    await using host = await place.open({ watch: true });
    expect(
      host.catalog.list().flatMap(({ dir, kind, name }) => (dir === undefined ? [] : [`${kind} ${name}`])),
    ).toEqual(['prompt github', 'tool github.create', 'prompt github.issues']);
    await writeFile(path.join(place.dir, 'plugins/github/prompt.md'), 'About it all.');
    await until(async () => JSON.stringify(await texts(host, 'github')).includes('all'));
    expect(await host.call({ name: 'github.create' })).toMatchObject({ ok: true });
  });
});

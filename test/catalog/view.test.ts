import { describe, expect, it } from 'vitest';
import type { Tool } from '../../core/catalog/tool.ts';
import { createView, type Selection } from '../../core/catalog/view.ts';
import { manifestOf } from '../adapters/support.ts';
import { toolOf } from '../agent/recording-host.ts';

const tool = (name: string, ...tags: string[]): Tool =>
  toolOf(manifestOf(name, { type: 'object', properties: {} }, { tags }));
const LIST = [
  tool('math.sub'),
  tool('github.delete_repo', 'danger', 'git'),
  tool('math.add', 'pure'),
  tool('github.create_issue', 'git'),
  tool('weather'),
];

describe('a view', () => {
  it.each<[Selection, string[]]>([
    [{}, ['github.create_issue', 'github.delete_repo', 'math.add', 'math.sub', 'weather']],
    [{ allow: ['math.*'] }, ['math.add', 'math.sub']],
    [{ allow: ['*'], deny: ['*.delete_*'] }, ['github.create_issue', 'math.add', 'math.sub', 'weather']],
    [{ allow: ['github.delete_repo'], deny: ['github.*'] }, []],
    [{ allow: [] }, []],
    [{ tags: ['pure', 'git'], deny: ['*delete*'] }, ['github.create_issue', 'math.add']],
    [{ tags: [] }, []],
    [{ allow: ['math'] }, []],
    [{ allow: ['m.*'] }, []],
    [{ max: 2 }, ['github.create_issue', 'github.delete_repo']],
    [{ allow: ['weather', 'math.add'], max: 1 }, ['math.add']],
  ])('of %j shows %j', (selection, names) => {
    const view = createView(LIST, selection);
    expect(view.names()).toEqual(names);
    for (const { manifest } of LIST) expect(view.has(manifest.name)).toBe(names.includes(manifest.name));
  });

  it.each<[unknown, RegExp]>([
    [{ alow: ['math.*'] }, /no "alow"; did you mean "allow"/],
    [{ tools: ['math.*'] }, /no "tools"; known are allow/],
    [{ allow: 'math.*' }, /"allow" .* list of texts/],
    [{ deny: [/x/] }, /"deny" .* list of texts/],
    [{ tags: 'git' }, /"tags" .* list of texts/],
    [{ max: -1 }, /"max"/],
    [{ max: Number.NaN }, /"max"/],
    [{ max: '2' }, /"max"/],
    [null, /an object/],
    [['math.*'], /an object/],
  ])('refuses %j instead of showing what was not meant', (selection, message) => {
    const given = selection as Selection; // cast: what plain JavaScript may hand in
    expect(() => createView(LIST, given)).toThrow(message);
    expect(() => createView(LIST).narrow(given)).toThrow(message);
  });

  it('says what max left out', () => {
    expect(createView(LIST, { max: 3 }).omitted()).toEqual(['math.sub', 'weather']);
    expect(createView(LIST).omitted()).toEqual([]);
  });

  it('narrows a view further, and never widens it', () => {
    const view = createView(LIST, { deny: ['weather'] }).narrow({ allow: ['weather', 'math.*'] });
    expect(view.names()).toEqual(['math.add', 'math.sub']);
  });

  it('gives the same array while the tools stay the same, whatever order they are listed in', () => {
    const forward = createView({ list: () => [...LIST] });
    expect(forward.tools('openai')).toBe(forward.tools('openai'));
    const backward = createView([...LIST].reverse());
    expect(JSON.stringify(backward.tools('openai'))).toBe(JSON.stringify(forward.tools('openai')));
    expect(forward.tools('openai', { strict: true })).not.toBe(forward.tools('openai'));
  });

  it('is live: a new version shows, and only its own entry changes', () => {
    let list = [...LIST];
    const view = createView({ list: () => list });
    const before = view.tools('anthropic').map((form) => JSON.stringify(form));
    list = list.map((one) =>
      one.manifest.name === 'weather' ? toolOf({ ...one.manifest, description: 'New.' }) : one,
    );
    const after = view.tools('anthropic').map((form) => JSON.stringify(form));
    expect(after.slice(0, 4)).toEqual(before.slice(0, 4));
    expect(after[4]).toContain('New.');
  });

  it('narrows a turn by allowed_tools and leaves the array alone', () => {
    const view = createView(LIST);
    const tools = view.tools('openai');
    expect(view.allowedTools('openai', { allow: ['math.*'] })).toEqual({
      type: 'allowed_tools',
      allowed_tools: {
        mode: 'auto',
        tools: ['math_add', 'math_sub'].map((name) => ({ type: 'function', function: { name } })),
      },
    });
    expect(view.allowedTools('responses', { allow: ['weather'] }, 'required')).toEqual({
      type: 'allowed_tools',
      mode: 'required',
      tools: [{ type: 'function', name: 'weather' }],
    });
    expect(view.allowedTools('gemini', { allow: ['weather'] })).toEqual({
      functionCallingConfig: { mode: 'VALIDATED', allowedFunctionNames: ['weather'] },
    });
    expect(view.allowedTools('anthropic', { allow: ['weather'] })).toBeUndefined();
    expect(view.tools('openai')).toBe(tools);
  });

  it('gives an empty Gemini list where nothing may be seen', () => {
    expect(createView(LIST, { allow: [] }).tools('gemini')).toEqual([]);
  });

  it('matches a hostile pattern in linear time', () => {
    const name = 'a'.repeat(5_000);
    expect(createView([tool(name)], { allow: [`${'*a'.repeat(200)}*b`] }).names()).toEqual([]);
  });

  it('hands over names that no pattern knows', () => {
    const view = createView([tool('__proto__'), tool('constructor')]);
    expect(view.has('toString')).toBe(false);
    expect(view.get('__proto__')?.manifest.name).toBe('__proto__');
  });
});

import { describe, expect, it } from 'vitest';
import { exportTools } from '../../core/adapters/export.ts';
import { isLegalName, legalNames } from '../../core/adapters/names.ts';
import { TARGET_RULES, TARGETS } from '../../core/adapters/targets.ts';
import { manifestOf } from './support.ts';

const NAMES = [
  'plain',
  'math.add',
  'math add',
  'math:add',
  'math_add',
  'github.create_issue',
  'Summarize Detection',
  '1st-tool',
  '-dash',
  '天气',
  '查询',
  'año',
  'a'.repeat(64),
  'a'.repeat(65),
  `${'a'.repeat(70)}b`,
  'b'.repeat(129),
  'emoji 🎉',
  '__proto__',
  'constructor',
  '',
];

describe.each(TARGETS)('names for %s', (target) => {
  const rules = TARGET_RULES[target].toolName;
  const names = legalNames(NAMES, rules);

  it('are legal and unique, each one', () => {
    for (const [name, exported] of names)
      expect(isLegalName(exported, rules), `${name} -> ${exported}`).toBe(true);
    expect(new Set(names.values()).size).toBe(NAMES.length);
  });

  it('stay as they are where they are legal', () => {
    for (const name of NAMES) if (isLegalName(name, rules)) expect(names.get(name)).toBe(name);
  });

  it('do not depend on the order or on tools that they do not meet', () => {
    expect(legalNames([...NAMES].reverse(), rules)).toEqual(new Map([...names].reverse()));
    const fewer = legalNames(['Summarize Detection', '天气'], rules);
    for (const [name, exported] of fewer) expect(exported).toBe(names.get(name));
  });

  it('map back to the tool', () => {
    const list = NAMES.filter((name) => name !== '').map((name) =>
      manifestOf(name, { type: 'object', properties: {} }),
    );
    const { mapping } = exportTools(list, target);
    for (const { name } of list) {
      const exported = mapping.exportedName(name);
      expect(exported).toBeDefined();
      expect(mapping.toolName(exported ?? '')).toBe(name);
      expect(mapping.restore(exported ?? '', {}).name).toBe(name);
    }
  });
});

it('gives Gemini a name that starts with a letter or an underscore', () => {
  expect(legalNames(['1st-tool', '-dash'], TARGET_RULES.gemini.toolName)).toEqual(
    new Map([
      ['1st-tool', '_1st-tool'],
      ['-dash', '_-dash'],
    ]),
  );
});

it('tells two names apart that differ in illegal characters only, wherever they stand', () => {
  const names = legalNames(['a.b', 'a b'], TARGET_RULES.openai.toolName);
  expect([...names.values()].every((name) => /^a_b_[0-9a-f]{8}$/.test(name))).toBe(true);
});

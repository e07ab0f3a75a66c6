import { describe, expect, test } from 'vitest';
import type { ArgumentProblem } from '../../../core/call/arguments/parse-arguments.ts';
import type { RepairKind } from '../../../core/call/arguments/repair-arguments.ts';
import type { JsonExpectation } from '../../../core/call/arguments/scan-json.ts';
import { ERROR_TABLE, errorContent, toolError } from '../../../core/call/errors/error-table.ts';
import { redactText } from '../../../core/call/errors/redact-text.ts';
import type { MessageFacts } from '../../../core/call/messages/catalogue.ts';
import { CATALOGUES } from '../../../core/call/messages/catalogues.ts';
import type { ErrorCode } from '../../../core/call/result.ts';

const tool = 'get_weather';
const detail = 'no place called "Atlantis"';
const problem = { line: 1, column: 8, expected: 'colon', found: '= 1}' } as const;

/** Every way in which each code can be told. */
const CASES: { readonly [Code in ErrorCode]: readonly MessageFacts[Code][] } = {
  unknown_tool: [
    { tool, suggestions: ['weather'], visible: ['weather', 'time'], hidden: 0 },
    { tool, suggestions: ['weather', 'whether'], visible: ['weather'], hidden: 40 },
    { tool, suggestions: [], visible: [], hidden: 0 },
  ],
  malformed_arguments: [
    { tool, problem },
    ...(
      [
        'value',
        'key',
        'key_or_end',
        'comma_or_end',
        'end_of_text',
        'escape',
        'control_character',
        'number',
        'literal',
      ] satisfies JsonExpectation[]
    ).map((expected) => ({ tool, problem: { ...problem, expected, found: '' } })),
  ],
  truncated_arguments: [{ tool }],
  invalid_arguments: [{ tool }],
  not_approved: [
    { tool, reason: 'refused' },
    { tool, reason: 'refused', detail: 'not today' },
    { tool, reason: 'timed_out' },
  ],
  permission_denied: [{ tool, detail }],
  tool_error: [
    ...(['permission', 'timeout', 'invalid_value', 'network', 'unknown'] as const).map((kind) => ({
      tool,
      kind,
      detail,
      at: 'index.ts:12',
    })),
    { tool, kind: 'unknown', detail: '' },
    { tool, kind: 'unknown', detail: '', at: 'index.ts:12' },
  ],
  not_found: [{ tool, detail, at: 'index.ts:12' }, { tool }],
  invalid_result: [
    { tool, kind: 'mismatch' },
    { tool, kind: 'unwritable', path: 'a[0]', detail: 'it refers back to itself' },
  ],
  timeout: [
    { tool, limit: 5_000 },
    { tool, limit: 50, detail: 'it waited for a host call' },
  ],
  cpu_limit: [{ tool, limit: 1_000 }],
  memory_limit: [
    { tool, limit: 64 },
    { tool, limit: 64, at: 'index.ts:12' },
  ],
  output_limit: [
    { tool, resultBytes: 1_048_576, logBytes: 65_536 },
    { tool, resultBytes: 1_000 },
    { tool, resultBytes: 1_048_576, detail: 'the messages would have more than 100 characters' },
  ],
  host_call_limit: [{ tool, limit: 1_000 }],
  cancelled: [
    { tool, started: true },
    { tool, started: false },
  ],
  busy: [{ tool }],
  plugin_unavailable: [{ tool, detail: 'its schema.json is broken' }],
  quarantined: [{ tool, detail: 'it crashed 3 times' }],
  sandbox_crashed: [
    { tool, started: true },
    { tool, started: false },
  ],
  internal: [{ tool }],
};

const CODES = Object.keys(ERROR_TABLE) as ErrorCode[]; // the table's own keys

function contents<Code extends ErrorCode>(locale: 'en' | 'zh', code: Code): string[] {
  return CASES[code].map((facts) =>
    errorContent(CATALOGUES[locale], toolError(CATALOGUES[locale], code, facts)),
  );
}

const PROBLEMS: readonly [ArgumentProblem, string][] = [
  [{ kind: 'not_an_object', received: 'array' }, ''],
  [{ kind: 'encoded_again' }, ''],
  [{ kind: 'too_long', limit: 100 }, ''],
  [{ kind: 'too_deep', limit: 8 }, ''],
  [{ kind: 'duplicate_key', key: 'a' }, ''],
  [{ kind: 'forbidden_key', path: [] }, 'a.__proto__'],
  [{ kind: 'number_too_large', path: [] }, 'a[1]'],
  [{ kind: 'not_json', path: [] }, ''],
  [{ kind: 'not_json', path: [] }, 'a'],
];

const REPAIRS: readonly RepairKind[] = [
  'empty_arguments',
  'double_encoded',
  'parsed_json_string',
  'numeral_to_number',
  'text_to_boolean',
  'dropped_null',
];

/** Every other sentence of a catalogue. */
function otherTexts(locale: 'en' | 'zh'): string[] {
  const catalogue = CATALOGUES[locale];
  const page = { from: 0, to: 100, total: 200, handle: 'rm_x' };
  return [
    ...PROBLEMS.map(([argumentProblem, path]) => catalogue.argumentProblem(argumentProblem, path)),
    ...REPAIRS.flatMap((kind) => [catalogue.repair(kind, ''), catalogue.repair(kind, 'a.b')]),
    catalogue.repeated(3),
    catalogue.notRunAgain(10),
    catalogue.example('{"city":"Bern"}'),
    catalogue.noValue,
    catalogue.leftOut(100, 200, 'rm_x', 50),
    catalogue.leftOut(100, 200, undefined, 50),
    catalogue.page(page),
    catalogue.lastPage(page),
    catalogue.noSuchText,
    catalogue.noSuchOffset(200),
    catalogue.part('image', 'image/png', 12, undefined),
    catalogue.part('file', 'application/pdf', 12, 'a.pdf'),
    catalogue.moreIssues(5),
  ];
}

describe.each(['en', 'zh'] as const)('the %s catalogue', (locale) => {
  test.each(CODES)('tells %s in these words', (code) => {
    expect(contents(locale, code).join('\n\n')).toMatchSnapshot();
  });

  test('tells everything else in these words', () => {
    expect(otherTexts(locale).join('\n')).toMatchSnapshot();
  });

  test.each(CODES)('starts %s with the prefix, says what to do next, and leaves no hole', (code) => {
    for (const content of contents(locale, code)) {
      expect(content.startsWith(locale === 'en' ? 'Error: ' : '错误：')).toBe(true);
      expect(content.split('\n').length).toBeGreaterThanOrEqual(2);
      expect(content).not.toMatch(/undefined|\[object|NaN|\.\.(?!\.)|。。|: \.|：。/);
      expect(content).toContain(tool);
    }
  });

  test('carries no path, no stack and no secret of its own', () => {
    const texts = [...CODES.flatMap((code) => contents(locale, code)), ...otherTexts(locale)];
    for (const text of texts) {
      expect(redactText(text)).toBe(text);
      expect(text).not.toMatch(/node_modules|node:|\bat .+:\d+:\d+|core\/|sandbox\/|[A-Z]:\\/);
    }
  });
});

test('the lint would see a path, a stack or a secret', () => {
  for (const leak of [
    'see /home/me/app/index.ts',
    'x\n    at f (index.js:1:2)',
    'token=abcdef123',
    'C:\\Users\\me\\x',
  ]) {
    expect(redactText(leak)).not.toBe(leak);
  }
});

test('both catalogues tell each case apart as the other does', () => {
  for (const code of CODES) {
    const [english, chinese] = [contents('en', code), contents('zh', code)];
    expect(new Set(english).size, code).toBe(new Set(chinese).size);
    expect(new Set(english).size, code).toBe(english.length);
  }
});

test('an issue is told in Chinese from its facts', () => {
  const issue = {
    path: 'unit',
    keyword: 'enum',
    message: 'unit must be ...',
    allowed: ['C', 'F'],
    received: '"K"',
    suggestion: 'C',
  };
  expect(CATALOGUES.zh.issue(issue)).toBe('unit：必须是以下之一："C"、"F"，实际为 "K"；是否想用“C”。');
  expect(CATALOGUES.zh.issue({ path: '', keyword: 'made_up', message: 'x' })).toBe(
    '参数：不符合“made_up”的要求。',
  );
  expect(CATALOGUES.en.issue(issue)).toBe('unit must be ...');
});

test('a long list of issues is cut and counted', () => {
  const issues = Array.from({ length: 25 }, (_, index) => ({
    path: `p${index}`,
    keyword: 'type',
    message: `p${index} ${'x'.repeat(2_000)}`,
  }));
  const content = errorContent(
    CATALOGUES.en,
    toolError(CATALOGUES.en, 'invalid_arguments', { tool }, { issues }),
  );
  expect(content).toContain('- and 5 more');
  expect(content.length).toBeLessThan(12_000);
});

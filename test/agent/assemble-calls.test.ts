import { describe, expect, it } from 'vitest';
import { CallAssembler, type CallDelta } from '../../core/agent/assemble-calls.ts';

type Piece = readonly [index: number | null, id: string | null, name: string | null, args: unknown];

function assemble(pieces: readonly Piece[]): [string, string, string][] {
  const assembler = new CallAssembler();
  for (const [index, id, name, args] of pieces) {
    const delta: CallDelta = { index, id, function: { name, arguments: args } };
    assembler.add(delta);
  }
  return assembler
    .finish()
    .map((call) => [call.id.replace(/^call_[0-9a-f-]{36}$/, 'made'), call.name, call.arguments]);
}

const ONE = [['a', 'f', '{"x":1}']];
const TWO = [
  ['a', 'f', '{"x":1}'],
  ['b', 'g', '{"y":2}'],
];

describe('CallAssembler puts together', () => {
  it.each<[string, Piece[], unknown]>([
    [
      'one call in pieces',
      [
        [0, 'a', 'f', ''],
        [0, null, null, '{"x"'],
        [0, null, null, ':1}'],
      ],
      ONE,
    ],
    [
      'two calls one after the other',
      [
        [0, 'a', 'f', '{"x":1}'],
        [1, 'b', 'g', '{"y":2}'],
      ],
      TWO,
    ],
    [
      'two calls interleaved',
      [
        [0, 'a', 'f', ''],
        [1, 'b', 'g', ''],
        [0, null, null, '{"x":1}'],
        [1, null, null, '{"y":2}'],
      ],
      TWO,
    ],
    [
      'two calls whose index is always 0',
      [
        [0, 'a', 'f', ''],
        [0, null, null, '{"x":1}'],
        [0, 'b', 'g', ''],
        [0, null, null, '{"y":2}'],
      ],
      TWO,
    ],
    [
      'interleaved pieces with their ids and index 0',
      [
        [0, 'a', 'f', '{"x"'],
        [0, 'b', 'g', '{"y"'],
        [0, 'a', null, ':1}'],
        [0, 'b', null, ':2}'],
      ],
      TWO,
    ],
    [
      'calls without any index',
      [
        [null, 'a', 'f', ''],
        [null, null, null, '{"x":1}'],
        [null, 'b', 'g', '{"y":2}'],
      ],
      TWO,
    ],
    [
      'a known id on another index',
      [
        [0, 'a', 'f', '{"x"'],
        [3, 'a', null, ':1}'],
      ],
      ONE,
    ],
    [
      'arguments before the name',
      [
        [0, 'a', null, '{"x"'],
        [0, null, null, ':1}'],
        [0, null, 'f', ''],
      ],
      ONE,
    ],
    [
      'arguments before the id and the name',
      [
        [0, null, null, '{"x":1}'],
        [0, 'a', 'f', ''],
      ],
      ONE,
    ],
    [
      'a name in pieces',
      [
        [0, 'a', 'get_', ''],
        [0, null, 'weather', ''],
        [0, null, null, '{}'],
      ],
      [['a', 'get_weather', '{}']],
    ],
    [
      'a name that is repeated on every piece',
      [
        [0, 'a', 'f', '{"x"'],
        [0, 'a', 'f', ':1}'],
        [0, 'a', 'f', ''],
      ],
      ONE,
    ],
    [
      'a name that is repeated, without ids',
      [
        [0, null, 'f', '{"x"'],
        [0, null, 'f', ':1}'],
      ],
      [['made', 'f', '{"x":1}']],
    ],
    [
      'whole calls without ids on one index',
      [
        [0, null, 'f', '{"x":1}'],
        [0, null, 'g', '{"y":2}'],
        [0, null, 'g', '{"y":3}'],
      ],
      [
        ['made', 'f', '{"x":1}'],
        ['made', 'g', '{"y":2}'],
        ['made', 'g', '{"y":3}'],
      ],
    ],
    [
      'one id for two calls',
      [
        [0, 'a', 'f', '{"x":1}'],
        [1, 'a', 'g', '{"y":2}'],
      ],
      [
        ['a', 'f', '{"x":1}'],
        ['made', 'g', '{"y":2}'],
      ],
    ],
    [
      'empty ids',
      [
        [0, '', 'f', '{"x"'],
        [0, '', null, ':1}'],
      ],
      [['made', 'f', '{"x":1}']],
    ],
    ['arguments that are an object', [[0, 'a', 'f', { x: 1 }]], ONE],
    ['a call without arguments', [[0, 'a', 'f', null]], [['a', 'f', '']]],
    [
      'several ids, the index missing on later pieces',
      [
        [0, 'a', 'f', ''],
        [1, 'b', 'g', ''],
        [null, 'a', null, '{"x":1}'],
        [null, 'b', null, '{"y":2}'],
      ],
      TWO,
    ],
  ])('%s', (_title, pieces, expected) => {
    expect(assemble(pieces)).toEqual(expected);
  });

  it.each<[string, Piece[]]>([
    [
      'on one index without ids',
      [
        [0, null, 'f', ''],
        [0, null, null, '{"x":1}'],
        [0, null, 'f', ''],
        [0, null, null, '{"x"'],
        [0, null, null, ':2}'],
      ],
    ],
    [
      'without index and ids',
      [
        [null, null, 'f', ''],
        [null, null, null, '{"x":1}'],
        [null, null, 'f', ''],
        [null, null, null, '{"x":2}'],
      ],
    ],
    [
      'under one id',
      [
        [0, 'a', 'f', ''],
        [0, 'a', null, '{"x":1}'],
        [1, 'a', 'f', ''],
        [1, 'a', null, '{"x"'],
        [1, 'a', null, ':2}'],
      ],
    ],
    [
      'under one id, arguments in pieces from the first on',
      [
        [0, 'a', 'f', '{"x"'],
        [0, 'a', null, ':1}'],
        [1, 'a', 'f', '{"x"'],
        [1, 'a', null, ':2}'],
      ],
    ],
  ])('two calls of one tool, name first, %s', (_title, pieces) => {
    const calls = assemble(pieces);
    expect(calls.map(([, name, text]) => [name, text])).toEqual([
      ['f', '{"x":1}'],
      ['f', '{"x":2}'],
    ]);
    expect(calls[1]?.[0]).toBe('made');
  });

  it('one call whose name is repeated at its end', () => {
    expect(
      assemble([
        [0, 'a', 'f', '{"x"'],
        [0, 'a', 'f', ':1}'],
        [0, 'a', 'f', ''],
      ]),
    ).toEqual(ONE);
  });

  it('a call that has no function at all', () => {
    const assembler = new CallAssembler();
    assembler.add({ index: 0, id: 'a' });
    expect(assembler.finish()).toEqual([{ id: 'a', name: '', arguments: '' }]);
  });

  it('calls without ids under ids that differ', () => {
    const assembler = new CallAssembler();
    assembler.add({ index: 0, function: { name: 'f', arguments: '{}' } });
    assembler.add({ index: 1, function: { name: 'f', arguments: '{}' } });
    expect(new Set(assembler.finish().map((call) => call.id)).size).toBe(2);
  });
});

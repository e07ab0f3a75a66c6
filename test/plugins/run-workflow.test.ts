import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pluginNames, readSchema } from './by-import.ts';
import { openShipped, type Shipped } from './shipped.ts';

let shipped: Shipped;
const asked: string[] = [];
beforeAll(async () => {
  shipped = await openShipped(
    {
      run_workflow: { tools: ['*'] },
      calculator: {},
      convert_units: {},
      parse_csv: {},
      query_json: {},
      read_file: {},
      write_file: {},
    },
    {
      onApproval: ({ tool }) => {
        asked.push(tool.manifest.name);
        return false;
      },
    },
  );
  shipped.host.tool(
    { name: 'echo', description: 'Gives back what it got.', parameters: { type: 'object', properties: {} } },
    (args) => args,
  );
});
afterAll(() => shipped[Symbol.asyncDispose]());

const run = (steps: object[], result?: unknown) =>
  shipped.call('run_workflow', { steps, ...(result === undefined ? {} : { result }) });

describe('run_workflow', () => {
  it('hands results on by path, with their types or as text', async () => {
    const steps = [
      { id: 'rows', tool: 'parse_csv', arguments: { text: 'name,price\npen,3\nbook,12\n' } },
      { id: 'dear', tool: 'query_json', arguments: { data: '{{$.rows.rows}}', query: '$[price > 10].name' } },
      {
        tool: 'echo',
        arguments: {
          all: '{{ $.rows.rows[*].price }}',
          last: '{{$.rows.rows[-1]["name"]}}',
          text: 'a {{$.dear}} of {{$.rows.rows[0]}}',
        },
      },
    ];
    expect(await run(steps)).toMatchObject({
      ok: true,
      value: {
        all: [3, 12],
        last: 'book',
        text: 'a book of {"name":"pen","price":3}',
      },
    });
    expect(await run(steps, { names: '{{$.dear}}', echoed: '{{$.step3.last}}' })).toMatchObject({
      ok: true,
      value: { names: 'book', echoed: 'book' },
    });
  });

  it('leaves other braces alone', async () => {
    const args = { a: '{{name}} { $x }', b: ['{{}}'] };
    expect(await run([{ tool: 'echo', arguments: args }])).toMatchObject({ ok: true, value: args });
  });

  it('tells which step failed, why, and what was done before it', async () => {
    const steps = [
      { tool: 'echo', arguments: {} },
      { id: 'sum', tool: 'calculator', arguments: { expression: '1/0' } },
      { tool: 'echo', arguments: {} },
    ];
    expect(await run(steps)).toMatchObject({
      ok: false,
      error: { code: 'tool_error' },
      content: expect.stringMatching(
        /Step 2 of 3 \(sum, calculator\) failed: .*Division by zero.* Step 1 was done\./,
      ),
    });
  });

  it.each([
    [[{ tool: 'nothing_like_it' }], /Step 1 of 1 \(nothing_like_it\) failed: .*(no tool|unknown)/i],
    [
      [{ tool: 'convert_units', arguments: { value: 'x' } }],
      /Step 1 of 1 \(convert_units\) failed: .*arguments/,
    ],
    [
      [
        { tool: 'echo', arguments: { a: '{{$.later.x}}' } },
        { id: 'later', tool: 'echo' },
      ],
      /Step 1 of 2 .* was not run: .*later refers to a step that has not run yet/,
    ],
    [
      [{ tool: 'echo' }, { tool: 'echo', arguments: { a: '{{$.step1.x}}' } }],
      /Step 2 of 2 .*\$\.step1\.x: no such key/,
    ],
    [[{ tool: 'echo', arguments: { a: '{{$.none}}' } }], /no earlier step "none"/],
    [
      [{ tool: 'echo' }, { tool: 'echo', arguments: { a: '{{$.step1[0]}}' } }],
      /is a object, no list|is an object, no list|no list/,
    ],
    [[{ tool: 'echo', arguments: { a: '{{$..x}}' } }], /not understood/],
    [
      [
        { id: 'a', tool: 'echo' },
        { id: 'a', tool: 'echo' },
      ],
      /Steps 1 and 2 have the same id "a"\. Nothing was run/,
    ],
    [[{ tool: 'run_workflow', arguments: { steps: [{ tool: 'echo' }] } }], /already running in this call/],
  ])('says what is wrong with %j', async (steps, reason) => {
    expect(await run(steps)).toMatchObject({ ok: false, content: expect.stringMatching(reason) });
  });

  it('gives a step no rights beyond its own: files stay closed, what destroys is asked about', async () => {
    await writeFile(path.join(shipped.dir, 'outside.txt'), 'x');
    expect(await run([{ tool: 'read_file', arguments: { path: 'outside.txt' } }])).toMatchObject({
      ok: false,
      content: expect.stringMatching(/Step 1 of 1 \(read_file\) failed: .*not permitted|not allowed/),
    });
    const written = await run([{ tool: 'write_file', arguments: { path: 'workspace/a.txt', content: 'x' } }]);
    expect(written).toMatchObject({
      ok: false,
      content: expect.stringMatching(/Step 1 of 1 \(write_file\) failed/),
    });
    expect(asked).toEqual(['write_file']);
  });

  it('is denied a tool that its permissions do not name', async () => {
    await using narrow = await openShipped({
      run_workflow: { tools: ['calculator'] },
      calculator: {},
      parse_csv: {},
    });
    const steps = (tool: string) => ({ steps: [{ tool, arguments: { expression: '1+1' } }] });
    expect(await narrow.call('run_workflow', steps('calculator'))).toMatchObject({ ok: true });
    expect(await narrow.call('run_workflow', steps('parse_csv'))).toMatchObject({
      ok: false,
      error: { code: 'permission_denied', message: expect.stringContaining('parse_csv') },
    });
  });

  it('may call all the tools that ship with it, and no other until its schema.json names it', async () => {
    const { permissions } = readSchema('run_workflow');
    const others = pluginNames.filter((name) => name !== 'run_workflow');
    expect([...(permissions?.tools ?? [])].sort()).toEqual(others.toSorted());
  });

  it('runs twenty steps at most', async () => {
    expect(await run(Array.from({ length: 21 }, () => ({ tool: 'echo' })))).toMatchObject({
      error: { code: 'invalid_arguments' },
    });
  });
});

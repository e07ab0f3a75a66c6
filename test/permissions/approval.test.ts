import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Tool } from '../../core/catalog/tool.ts';
import { DEFAULT_LIMITS } from '../../core/config/limits.ts';
import { type ApproverOptions, createApprover } from '../../core/permissions/approval.ts';
import { createTerminalPrompt } from '../../core/permissions/terminal-prompt.ts';
import type { ApprovalRule, Manifest } from '../../core/plugin/manifest.ts';

function toolOf(approval?: ApprovalRule, destructive = false, name = 'files.remove', version = '1'): Tool {
  const manifest: Manifest = {
    name,
    description: 'x',
    parameters: { type: 'object' },
    examples: [],
    annotations: { destructive },
    permissions: {},
    limits: {},
    state: 'fresh',
    tags: [],
    ...(approval === undefined ? {} : { approval }),
  };
  return {
    manifest,
    version,
    origin: 'plugin',
    limits: DEFAULT_LIMITS,
    run: () => Promise.reject(new Error('an approval runs nothing')),
  };
}

async function isAsked(tool: Tool, options: Omit<ApproverOptions, 'ask'> = {}): Promise<boolean> {
  let asked = false;
  const approve = createApprover({
    ...options,
    ask: () => {
      asked = true;
      return true;
    },
  });
  expect(await approve(tool, {}, {})).toEqual({ kind: 'approved' });
  return asked;
}

describe('approval', () => {
  it('is asked for what is destructive and for what wants to be asked about', async () => {
    expect(await isAsked(toolOf())).toBe(false);
    expect(await isAsked(toolOf(undefined, true))).toBe(true);
    expect(await isAsked(toolOf('always'))).toBe(true);
    expect(await isAsked(toolOf('destructive', true), { defaultRule: 'never' })).toBe(true);
  });

  it('can not be switched off by the plugin itself', async () => {
    expect(await isAsked(toolOf('never', true))).toBe(true);
    expect(await isAsked(toolOf('never'), { defaultRule: 'always' })).toBe(true);
  });

  it('follows the config’s first setting that names the tool', async () => {
    const settings = [
      { tools: 'files.*', approval: 'never' },
      { tools: '*', approval: 'always' },
    ] as const;
    expect(await isAsked(toolOf('always', true), { settings })).toBe(false);
    expect(await isAsked(toolOf('never', false, 'math.add'), { settings })).toBe(true);
  });

  it('is refused where nobody can be asked', async () => {
    expect(await createApprover()(toolOf('always'), {}, {})).toMatchObject({ kind: 'refused' });
  });

  it('tells a refusal, its reason, a time-out and a failed question apart', async () => {
    const answer = (ask: NonNullable<ApproverOptions['ask']>, timeoutMs = 1_000) =>
      createApprover({ ask, timeoutMs })(toolOf('always'), {}, {});
    expect(await answer(() => false)).toEqual({ kind: 'refused' });
    expect(await answer(() => ({ approved: false, reason: 'not on a Friday' }))).toEqual({
      kind: 'refused',
      reason: 'not on a Friday',
    });
    expect(await answer(() => new Promise(() => undefined), 5)).toEqual({ kind: 'timed_out' });
    expect(await answer(() => Promise.reject(new Error('gone')))).toMatchObject({ kind: 'refused' });
    // Not every embedder is checked by a compiler.
    for (const odd of [
      undefined,
      null,
      1,
      'yes',
      [true],
      { approved: 'yes' },
      { approved: false, reason: 7 },
    ])
      expect(await answer(() => odd as unknown as boolean)).toMatchObject({ kind: 'refused' });
    expect(await answer(() => ({ approved: 'no' }) as never)).toMatchObject({ kind: 'refused' });
  });

  it('ends with the call and tells the one who asks', async () => {
    const call = new AbortController();
    let asking: AbortSignal | undefined;
    const pending = createApprover({
      ask: ({ signal }) => {
        asking = signal;
        return new Promise(() => undefined);
      },
    })(toolOf('always'), {}, { signal: call.signal });
    call.abort();
    expect(await pending).toMatchObject({ kind: 'refused', reason: 'the call was cancelled' });
    expect(asking?.aborted).toBe(true);
  });

  it('is remembered for a session and a version when the answer says so', async () => {
    let asked = 0;
    const approve = createApprover({
      ask: () => {
        asked += 1;
        return { approved: true, remember: 'session' };
      },
    });
    await approve(toolOf('always'), {}, { session: 's' });
    await approve(toolOf('always'), {}, { session: 's' });
    expect(asked).toBe(1);
    await approve(toolOf('always'), {}, { session: 't' });
    await approve(toolOf('always', false, 'files.remove', '2'), {}, { session: 's' });
    await approve(toolOf('always'), {}, {});
    await approve(toolOf('always'), {}, {});
    expect(asked).toBe(5);
  });
});

describe('the prompt on a terminal', () => {
  function terminal() {
    const input = new PassThrough();
    const output = new PassThrough();
    let shown = '';
    output.on('data', (data) => {
      shown += data;
    });
    const ask = createTerminalPrompt({ input, output });
    const approve = createApprover({ ask, timeoutMs: 1_000 });
    return { input, approve, ask, shown: () => shown };
  }

  it.each<[string, string]>([
    ['y', 'approved'],
    [' YES ', 'approved'],
    ['n', 'refused'],
    ['', 'refused'],
    ['yep', 'refused'],
  ])('takes %j for %s', async (typed, kind) => {
    const { input, approve, shown } = terminal();
    const pending = approve(toolOf('always'), { path: 'a\u001b[2J\u202eb' }, {});
    await expect.poll(shown).toContain('Allow it?');
    input.write(`${typed}\n`);
    expect(await pending).toMatchObject({ kind });
    expect(shown()).toContain('files.remove asks to run with');
    for (const steering of ['\u001b', '\u202e']) expect(shown()).not.toContain(steering);
  });

  it('asks one question at a time and takes the end of the input for a no', async () => {
    const { input, approve, shown } = terminal();
    const first = approve(toolOf('always', false, 'one'), {}, {});
    const second = approve(toolOf('always', false, 'two'), {}, {});
    await expect.poll(shown).toContain('one');
    expect(shown()).not.toContain('two');
    input.write('y\n');
    expect(await first).toEqual({ kind: 'approved' });
    await expect.poll(shown).toContain('two');
    input.end();
    expect(await second).toEqual({ kind: 'refused' });
  });

  it('gives way to the next question when the call ends', async () => {
    const { input, approve, shown } = terminal();
    const call = new AbortController();
    const first = approve(toolOf('always', false, 'one'), {}, { signal: call.signal });
    await expect.poll(shown).toContain('one');
    call.abort();
    expect(await first).toMatchObject({ kind: 'refused' });
    const second = approve(toolOf('always', false, 'two'), {}, {});
    await expect.poll(shown).toContain('two');
    input.write('y\n');
    expect(await second).toEqual({ kind: 'approved' });
  });
});

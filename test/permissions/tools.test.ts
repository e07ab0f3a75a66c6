import { describe, expect, it } from 'vitest';
import type { CallResult } from '../../core/call/result.ts';
import { createGuest, policyOf } from './guest.ts';

const usage = { wallMs: 1, cpuMs: 1, heapBytes: 1, queuedMs: 0, hostCalls: 0 };

function answering(calls: unknown[] = []) {
  return async (name: string, args: unknown): Promise<CallResult> => {
    calls.push([name, args]);
    if (name === 'math.fails') {
      const error = { code: 'tool_error', message: 'it broke', outcome: 'failed', retry: 'never' } as const;
      return { ok: false, content: 'Error: it broke', tool: { name }, usage, error };
    }
    return { ok: true, content: '3', value: 3, tool: { name }, usage };
  };
}

describe('tools.call', () => {
  const policy = policyOf({ tools: ['math.*', 'asker'] }, { tools: ['math.*', 'asker', 'rm'] });

  it('calls what both lists allow and passes on answer and failure', async () => {
    const calls: unknown[] = [];
    const guest = createGuest({ policy, plugin: 'asker', callTool: answering(calls) });
    expect(await guest.ask('tools.call', { name: 'math.add', arguments: { a: 1 } })).toEqual({
      ok: true,
      value: { ok: true, content: '3', value: 3 },
    });
    expect(await guest.ask('tools.call', { name: 'math.fails' })).toEqual({
      ok: true,
      value: { ok: false, content: 'Error: it broke', error: { code: 'tool_error', message: 'it broke' } },
    });
    expect(calls).toEqual([
      ['math.add', { a: 1 }],
      ['math.fails', {}],
    ]);
    expect(guest.uses()).toHaveLength(2);
  });

  it('is denied for any other tool, with the grant that would allow it', async () => {
    const guest = createGuest({ policy, plugin: 'asker', callTool: answering() });
    for (const name of ['rm', 'mathx', 'xmath.add']) {
      expect(await guest.ask('tools.call', { name })).toMatchObject({ error: { code: 'permission_denied' } });
    }
    expect(guest.denial(1)).toMatchObject({ requested: false, grant: '"asker": { "tools": ["rm"] }' });
  });

  it('does not go round in circles or deeper than the bound', async () => {
    const cycle = createGuest({ policy, plugin: 'asker', chain: ['math.a', 'asker'], callTool: answering() });
    expect(await cycle.ask('tools.call', { name: 'math.a' })).toMatchObject({
      error: { code: 'tool_cycle' },
    });
    expect(await cycle.ask('tools.call', { name: 'asker' })).toMatchObject({ error: { code: 'tool_cycle' } });
    const chain = Array.from({ length: 8 }, (_, index) => `t${index}`);
    const deep = createGuest({ policy, plugin: 't7', chain, callTool: answering() });
    expect(await deep.ask('tools.call', { name: 'math.add' })).toMatchObject({
      error: { code: 'tool_depth' },
    });
  });

  it('answers even when the host’s own function breaks its promise', async () => {
    const guest = createGuest({
      policy,
      plugin: 'asker',
      callTool: () => Promise.reject(new Error('/host/path')),
    });
    const reply = await guest.ask('tools.call', { name: 'math.add' });
    expect(reply).toMatchObject({ ok: false, error: { code: 'internal' } });
    expect(JSON.stringify(reply)).not.toContain('/host/path');
  });
});

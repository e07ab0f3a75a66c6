import { type AuditEntry, createAuditEntry } from '../../core/audit/index.ts';
import type { CallRecord } from '../../core/call/call.ts';
import type { CapabilityUse } from '../../core/permissions/broker.ts';

export const record: CallRecord = {
  id: 'call_1',
  session: 's',
  chain: ['outer'],
  tool: { name: 'weather', version: 'v1', origin: 'plugin' },
  arguments: '{"city":"Bern","days":[1,2],"deep":{"a":{"b":{"c":{"d":1}}}}}',
  repairs: [{ path: 'days', kind: 'parsed_json_string', message: 'was "[1,2]"' }],
  approval: 'approved',
  uses: [],
  ok: true,
  contentChars: 12,
  truncated: false,
  usage: { wallMs: 3, cpuMs: 1, heapBytes: 9, queuedMs: 0, hostCalls: 1 },
};

export function entry(change: Partial<AuditEntry> = {}, uses: readonly CapabilityUse[] = []): AuditEntry {
  return { ...createAuditEntry({ ...record, uses }), ...change };
}

export async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}

import { type BrokerOptions, createBroker } from '../../core/permissions/broker.ts';
import { type Policy, resolvePolicy } from '../../core/permissions/policy.ts';
import type { PermissionRequest } from '../../core/plugin/manifest.ts';
import type { GuestError, HostReply } from '../../core/sandbox/sandbox.ts';

export type Reply =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: GuestError };

/** Stands for the guest: sends host calls as JSON and reads the answers. */
export function createGuest(options: BrokerOptions) {
  const call = createBroker(options);
  const ending = new AbortController();
  let number = 0;

  async function ask(method: string, params: unknown): Promise<Reply> {
    number += 1;
    const json = typeof params === 'string' ? params : JSON.stringify(params);
    const reply: HostReply = await call.broker({ number, method, params: json, signal: ending.signal });
    return reply.ok ? { ok: true, value: JSON.parse(reply.json) } : reply;
  }

  async function open(id: string, url: string, more: object = {}) {
    return ask('fetch.open', { request: id, method: 'GET', url, headers: [], redirect: 'follow', ...more });
  }

  /** The whole body, or the error that ended it. */
  async function body(id: string): Promise<Buffer | GuestError> {
    const chunks: Buffer[] = [];
    for (;;) {
      const reply = await ask('fetch.read', { request: id });
      if (!reply.ok) return reply.error;
      const { chunk } = reply.value as { chunk?: string };
      if (chunk === undefined) return Buffer.concat(chunks);
      chunks.push(Buffer.from(chunk, 'base64'));
    }
  }

  /** Opens and reads: the text, or the error. */
  async function fetchText(url: string, more: object = {}): Promise<string | GuestError> {
    const opened = await open('one', url, more);
    if (!opened.ok) return opened.error;
    const read = await body('one');
    return Buffer.isBuffer(read) ? read.toString('utf8') : read;
  }

  return { ...call, ask, open, body, fetchText, end: () => ending.abort(), last: () => number };
}

export function policyOf(
  request: PermissionRequest,
  grant: PermissionRequest | 'as_requested' = 'as_requested',
): Policy {
  const result = resolvePolicy(request, grant);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.policy;
}

/** `${NAME}`, as a secret's template names its value. */
export function reference(name: string): string {
  return ['$', '{', name, '}'].join('');
}

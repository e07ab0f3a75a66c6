import type { GuestError } from '../sandbox/sandbox.ts';
import type { Capability } from './policy.ts';

/** What a capability answers inside the host; the broker turns it into a HostReply. */
export type Answer<Value = unknown> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: GuestError }
  | { readonly ok: false; readonly denied: Refusal };

/** A use that the policy does not cover, before the broker adds the grant that would. */
export interface Refusal {
  readonly capability: Capability;
  readonly target: string;
  readonly reason: string;
  readonly requested: boolean;
  /** False where no grant can help. */
  readonly grantable: boolean;
}

export function done<Value>(value: Value): Answer<Value> {
  return { ok: true, value };
}

export function failed(
  name: string,
  message: string,
  code?: string,
): { readonly ok: false; readonly error: GuestError } {
  return { ok: false, error: { name, message, ...(code === undefined ? {} : { code }) } };
}

export function denied(refusal: Refusal): { readonly ok: false; readonly denied: Refusal } {
  return { ok: false, denied: refusal };
}

export const ABORTED = failed('AbortError', 'The operation was aborted.', 'ABORT_ERR');

/** Tells the audit that a capability was used. */
export type RecordUse = (use: {
  readonly capability: Capability;
  readonly target: string;
  readonly allowed: boolean;
}) => void;

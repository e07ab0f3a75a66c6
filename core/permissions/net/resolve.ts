import { lookup } from 'node:dns/promises';
import { canonicalAddress, checkAddress } from './address.ts';
import type { NetRule } from './pattern.ts';

/** All addresses of a host name. Rejects where there are none. */
export type Resolver = (hostname: string, signal: AbortSignal) => Promise<readonly string[]>;

export const systemResolver: Resolver = async (hostname) => {
  const answers = await lookup(hostname, { all: true, verbatim: true });
  return answers.map((answer) => answer.address);
};

export interface PinnedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

export type Resolution =
  | { readonly ok: true; readonly addresses: readonly PinnedAddress[] }
  | { readonly ok: false; readonly kind: 'refused' | 'failed'; readonly reason: string };

const MOST_ANSWERS = 64;
const LONGEST_WAIT_MS = 10_000;

/**
 * The addresses that a request to `url` may connect to. Each answer of the resolver must be public, or the grant
 * must name it: a rule that would allow this very request with the address in place of the host, or, for
 * `localhost`, a rule that names `localhost`. One bad answer refuses all: mixed answers are how rebinding looks.
 */
export async function resolveHost(
  url: URL,
  method: string,
  granted: readonly NetRule[],
  resolver: Resolver,
  signal: AbortSignal,
): Promise<Resolution> {
  const literal = canonicalAddress(url.hostname);
  let answers: readonly string[];
  if (literal !== undefined) answers = [url.hostname.replace(/^\[(.*)\]$/, '$1')];
  else {
    const answered = await ask(url.hostname, resolver, signal);
    if (!answered) return { ok: false, kind: 'failed', reason: 'the host name could not be resolved' };
    answers = answered.slice(0, MOST_ANSWERS);
  }
  const addresses: PinnedAddress[] = [];
  for (const answer of answers) {
    const checked = checkAddress(answer);
    if (!checked.ok && !isNamed(url, method, answer, granted)) {
      const subject = literal === undefined ? 'the host leads to an address that' : 'it';
      return {
        ok: false,
        kind: 'refused',
        reason: `${subject} ${checked.reason} and the grant doesn't name it.`,
      };
    }
    addresses.push({ address: answer, family: answer.includes(':') ? 6 : 4 });
  }
  return { ok: true, addresses };
}

async function ask(
  hostname: string,
  resolver: Resolver,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_WAIT_MS)]);
  const given = new Promise<undefined>((settle) => {
    if (limit.aborted) settle(undefined);
    limit.addEventListener('abort', () => settle(undefined), { once: true });
  });
  try {
    const answers = await Promise.race([resolver(hostname, limit), given]);
    return answers && answers.length > 0 ? answers : undefined;
  } catch {
    return undefined;
  }
}

function isNamed(url: URL, method: string, answer: string, granted: readonly NetRule[]): boolean {
  const address = canonicalAddress(answer);
  if (address === undefined) return false;
  const direct = new URL(url);
  direct.hostname = answer.includes(':') ? `[${answer}]` : answer;
  const isLoopback = address === '::1' || address.startsWith('127.');
  return granted.some((rule) => {
    if (rule.literalHost === undefined) return false;
    if (rule.literalHost === url.hostname && isLoopback && isLocalhost(url.hostname))
      return rule.matches(method, url);
    return canonicalAddress(rule.literalHost) === address && rule.matches(method, direct);
  });
}

/** Reserved for loopback by RFC 6761, so naming it names the address. */
function isLocalhost(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost');
}

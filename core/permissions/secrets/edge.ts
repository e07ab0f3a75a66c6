import type { SecretUse } from '../../plugin/manifest.ts';
import type { Policy } from '../policy.ts';

/** Where the values are: the host's environment by default. */
export type SecretSource = (name: string) => string | undefined;

export const environmentSecrets: SecretSource = (name) => {
  const value = process.env[name];
  return value === undefined || value === '' ? undefined : value;
};

/** Every value that the policy's secrets have now, for a redactor. */
export function secretValues(policy: Policy, source: SecretSource = environmentSecrets): readonly string[] {
  return Object.keys(policy.secrets).flatMap((name) => {
    const value = source(name);
    // A value read from a file often ends in a newline that headers and echoes don't carry.
    return value === undefined ? [] : [value, value.trim(), ...decoded(value.trim())];
  });
}

/** Of the value of a `Basic` header, what it says: servers greet the user, and tell of a wrong password. */
function decoded(value: string): readonly string[] {
  if (!/^(?:[A-Za-z0-9+/]{4}){2,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value)) return [];
  const text = Buffer.from(value, 'base64').toString('latin1');
  const [, password = ''] = /^[\u0020-\u007e]+?:([\u0020-\u007e]+)$/.exec(text) ?? [];
  return password === '' ? [] : [text, password];
}

export type EdgeHeaders =
  | {
      readonly ok: true;
      readonly headers: readonly (readonly [name: string, value: string])[];
      readonly used: readonly string[];
    }
  | { readonly ok: false; readonly secret: string; readonly message: string };

/** The headers that the host adds to a request to `origin`, and to no other origin. */
export function edgeHeaders(policy: Policy, origin: string, source: SecretSource): EdgeHeaders {
  const headers: (readonly [string, string])[] = [];
  const used: string[] = [];
  for (const [name, use] of Object.entries(policy.secrets)) {
    if (use.for !== origin) continue;
    const value = source(name)?.trim();
    if (!value) return { ok: false, secret: name, message: `the secret ${name} has no value on this host` };
    const filled = fill(use, name, value);
    if (/[^\t\u0020-\u007e\u0080-\u00ff]/.test(filled)) {
      return {
        ok: false,
        secret: name,
        message: `the secret ${name} holds a character that no header can carry`,
      };
    }
    headers.push([use.header, filled]);
    used.push(name);
  }
  return { ok: true, headers, used };
}

function fill(use: SecretUse, name: string, value: string): string {
  // Not replace(): a `$&` within the value is no pattern.
  return use.value.split(`\${${name}}`).join(value);
}

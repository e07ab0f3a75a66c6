export type HeaderList = readonly (readonly [name: string, value: string])[];

const MOST_HEADERS = 100;
const MOST_HEADER_BYTES = 32_768;

/** Set by the host or by the connection; a plugin's own are dropped, as fetch does with forbidden names. */
const FORBIDDEN = new Set([
  'accept-charset',
  'accept-encoding',
  'access-control-request-headers',
  'access-control-request-method',
  'access-control-request-private-network',
  'connection',
  'content-length',
  'date',
  'dnt',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
]);

export type HeaderCheck =
  | { readonly ok: true; readonly headers: HeaderList }
  | { readonly ok: false; readonly message: string };

/** A plugin's request headers: names lower-cased, forbidden ones dropped, values checked for what would split lines. */
export function checkHeaders(headers: HeaderList): HeaderCheck {
  if (headers.length > MOST_HEADERS) return { ok: false, message: `more than ${MOST_HEADERS} headers` };
  const kept: (readonly [string, string])[] = [];
  let bytes = 0;
  for (const [rawName, rawValue] of headers) {
    const name = rawName.toLowerCase();
    const value = rawValue.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
    if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) return { ok: false, message: 'a header name is invalid' };
    if (/[^\t\u0020-\u007e\u0080-\u00ff]/.test(value)) {
      return { ok: false, message: `the value of the header ${name} is invalid` };
    }
    bytes += name.length + value.length;
    if (bytes > MOST_HEADER_BYTES)
      return { ok: false, message: `more than ${MOST_HEADER_BYTES} bytes of headers` };
    if (!FORBIDDEN.has(name) && !/^(?:proxy-|sec-)/.test(name)) kept.push([name, value]);
  }
  return { ok: true, headers: kept };
}

/** Credentials that must not follow a redirect to another origin. */
export function withoutCredentials(headers: HeaderList): HeaderList {
  return headers.filter(([name]) => !CREDENTIALS.has(name));
}

const CREDENTIALS = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'x-api-key',
  'api-key',
  'x-auth-token',
]);

/** Headers that describe a body that a redirect dropped. */
export function withoutBody(headers: HeaderList): HeaderList {
  return headers.filter(([name]) => !name.startsWith('content-'));
}

/** The host's headers win over a plugin's of the same name. */
export function withEdge(headers: HeaderList, edge: HeaderList): HeaderList {
  const names = new Set(edge.map(([name]) => name));
  return [...headers.filter(([name]) => !names.has(name)), ...edge];
}

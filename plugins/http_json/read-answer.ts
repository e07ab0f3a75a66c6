export interface Answer {
  readonly status: number;
  /** Was the status 200 to 299? */
  readonly ok: boolean;
  readonly statusText?: string;
  /** Where redirects led, if they did. */
  readonly url?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The body, where it is no JSON. */
  readonly text?: string;
  readonly notes?: readonly string[];
}

/** Dates, caches and servers' names are noise to a model. */
const TOLD =
  /^(content-type|location|link|etag|last-modified|retry-after|allow|www-authenticate|x-total-count|x-next-page|x-request-id)$|ratelimit|rate-limit/;
const LONGEST_HEADER = 1_000;

export async function readAnswer(response: Response, asked: string, maxChars: number): Promise<Answer> {
  const { status, ok, statusText, url, headers } = response;
  const head = {
    status,
    ok,
    ...(statusText === '' ? {} : { statusText }),
    ...(url === asked || url === '' ? {} : { url }),
    headers: Object.fromEntries(
      [...headers]
        .filter(([name]) => TOLD.test(name))
        .map(([name, value]) => [name, value.slice(0, LONGEST_HEADER)]),
    ),
  };
  const type = headers.get('content-type') ?? '';
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length === 0) return head;
  const isJson = /[/+]json\b/i.test(type);
  if (!isJson && isBinary(bytes)) {
    return { ...head, notes: [`The body is binary (${bytes.length} bytes) and not shown.`] };
  }
  const text = new TextDecoder(charsetOf(type)).decode(bytes);
  const parsed = parse(text);
  if (parsed !== undefined) return { ...head, body: parsed.value, ...noted(parsed.notes) };
  const notes = [
    ...(isJson ? ['The server calls the body JSON, but it is not valid JSON.'] : []),
    ...(text.length > maxChars ? [`The body has ${text.length} characters; the rest is left out.`] : []),
  ];
  return { ...head, text: text.slice(0, maxChars).toWellFormed(), ...noted(notes) };
}

function noted(notes: readonly string[]) {
  return notes.length === 0 ? {} : { notes };
}

/** V8 hands the source text of each number to a reviver. */
type Reviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown;

function parse(text: string): { readonly value: unknown; readonly notes: readonly string[] } | undefined {
  let exact = 0;
  const keepDigits: Reviver = (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined) return value;
    if (Number.isSafeInteger(value) || !/^-?\d+$/.test(source)) return value;
    exact += 1;
    return source;
  };
  try {
    // The library's type of a reviver lacks the third parameter.
    const value: unknown = JSON.parse(
      text.replace(/^\uFEFF/, ''),
      keepDigits as Parameters<typeof JSON.parse>[1],
    );
    const notes =
      exact === 0 ? [] : [`${exact} whole numbers too large to be exact as numbers are given as strings.`];
    return { value, notes };
  } catch {
    return undefined;
  }
}

function charsetOf(type: string): string {
  const label = /charset\s*=\s*["']?([^"';\s]+)/i.exec(type)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return 'utf-8';
  }
}

function isBinary(bytes: Uint8Array): boolean {
  return bytes
    .subarray(0, 1_024)
    .some((byte) => byte < 9 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32));
}

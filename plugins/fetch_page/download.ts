export interface Download {
  /** After redirects. */
  readonly url: string;
  /** Media type in lower case, without parameters; empty when the server names none. */
  readonly type: string;
  readonly charset: string | undefined;
  readonly bytes: Uint8Array;
  /** Was there more than {@link MOST_BYTES}? */
  readonly cut: boolean;
}

/** Larger pages are generated data more often than text; parsing them would cost more than they are worth. */
const MOST_BYTES = 2_097_152;
const ACCEPT = 'text/html,application/xhtml+xml;q=0.9,text/markdown;q=0.9,text/plain;q=0.8,*/*;q=0.5';

export async function download(url: string, signal: AbortSignal): Promise<Download> {
  const response = await fetch(url, {
    signal,
    headers: { accept: ACCEPT, 'accept-language': 'en,*;q=0.5', 'user-agent': 'glovebox-fetch-page/1.0' },
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(describeStatus(response));
  }
  const [type = '', ...parameters] = (response.headers.get('content-type') ?? '').split(';');
  const { bytes, cut } = await readUpTo(response, MOST_BYTES);
  return {
    url: response.url,
    type: type.trim().toLowerCase(),
    charset: charsetOf(parameters),
    bytes,
    cut,
  };
}

function charsetOf(parameters: readonly string[]): string | undefined {
  for (const parameter of parameters) {
    const value = /^\s*charset\s*=\s*["']?([^"'\s]+)/i.exec(parameter)?.[1];
    if (value !== undefined) return value;
  }
  return undefined;
}

async function readUpTo(response: Response, most: number): Promise<{ bytes: Uint8Array; cut: boolean }> {
  const reader = response.body?.getReader();
  const pieces: Uint8Array[] = [];
  let total = 0;
  while (reader !== undefined && total <= most) {
    const { done, value } = await reader.read();
    if (done) return { bytes: join(pieces, total), cut: false };
    pieces.push(value);
    total += value.length;
  }
  // Closes the connection: the rest is not wanted.
  await reader?.cancel();
  return { bytes: join(pieces, total).subarray(0, most), cut: reader !== undefined };
}

function join(pieces: readonly Uint8Array[], total: number): Uint8Array {
  const bytes = new Uint8Array(total);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

const ADVICE: Readonly<Record<number, string>> = {
  400: 'The address is malformed for this server; check its path and query.',
  401: 'The page needs a login, which this tool has not.',
  402: 'The page is behind a paywall.',
  403: 'The server refuses this page to programs or without a login; look for another source.',
  404: "There is no such page: check the address, or start from the site's front page.",
  406: 'The server has no form of this page that this tool reads.',
  410: 'The page was removed for good.',
  429: 'Too many requests',
  451: 'The page is withheld for legal reasons.',
};

/** The status, what it means here, and what to do next. */
function describeStatus({ status, statusText, headers, url }: Response): string {
  const { host } = new URL(url);
  const named = `HTTP ${status}${statusText === '' ? '' : ` ${statusText}`} from ${host}.`;
  if (status === 429 || status === 503) {
    const wait = headers.get('retry-after')?.slice(0, 40);
    return `${named} The server is busy or limits requests; try again ${wait === undefined ? 'in a minute' : `after ${/^\d+$/.test(wait) ? `${wait} seconds` : wait}`}.`;
  }
  if (status >= 500)
    return `${named} The server has a fault of its own; try again later or use another source.`;
  return `${named} ${ADVICE[status] ?? 'The server did not give the page.'}`;
}

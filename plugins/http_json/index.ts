import { type Answer, readAnswer } from './read-answer.ts';
import type { Arguments, Context } from './schema.d.ts';

const DEFAULT_CHARS = 20_000;
const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

export default async function httpJson(options: Arguments, ctx: Context): Promise<Answer> {
  const { method = 'GET', maxChars = DEFAULT_CHARS } = options;
  const url = readUrl(options);
  const request = readRequest(options, method);
  const response = await fetch(url, { method, ...request, signal: ctx.signal });
  return readAnswer(response, url, maxChars);
}

function readUrl({ url: text, query = {} }: Arguments): string {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error('"url" is no HTTP address. Write it whole, like https://api.example.com/items.');
  }
  if (url.username !== '' || url.password !== '')
    throw new Error('"url" must not hold a user name or a password.');
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(one));
  }
  url.hash = '';
  return url.href;
}

function readRequest({ headers: given = {}, body }: Arguments, method: string): RequestInit {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    try {
      headers.set(name, value);
    } catch {
      throw new Error(`The header ${JSON.stringify(name.slice(0, 60))} or its value is invalid.`);
    }
  }
  if (!headers.has('accept')) headers.set('accept', 'application/json, */*;q=0.5');
  if (body === undefined) return { headers };
  if (WITHOUT_BODY.has(method))
    throw new Error(`A ${method} request takes no body. Use "query", or another "method".`);
  const type = headers.get('content-type');
  const isJson = type === null || /[/+]json\b/i.test(type);
  if (type === null) headers.set('content-type', 'application/json');
  if (!isJson && typeof body !== 'string')
    throw new Error(`With the Content-Type ${type} the body must be a string.`);
  return { headers, body: isJson ? JSON.stringify(body) : String(body) };
}

import { untyped } from './typed-text.ts';

/** The plugin's own helper: what every request needs. Types stand between « and ». */
const TEXT = `/** A part of a path: it can't lead to another one. */
export function segment(name« : string», value« : unknown»)« : string» {
  const text = String(value);
  if (text === '' || text === '.' || text === '..')
    throw new Error(\`"\${name}" can't be "\${text}": it is a part of an address.\`);
  return encodeURIComponent(text);
}

/** Adds a value to a query or a form, in the API's manner for lists and objects. What is left out stays out. */
export function add(
  target« : URLSearchParams | FormData»,
  name« : string»,
  value« : unknown»,
  style = 'plain',
)« : void» {
  if (value === undefined || value === null) return;
  if (Array.isArray(value)) {
    const separator = SEPARATORS[style];
    if (separator !== undefined) target.append(name, value.map(text).join(separator));
    else for (const each of value) target.append(name, text(each));
  } else if (typeof value === 'object' && (style === 'deep' || style === 'spread')) {
    for (const [key, each] of Object.entries(value))
      add(target, style === 'deep' ? \`\${name}[\${key}]\` : key, each);
  } else target.append(name, text(value));
}

const SEPARATORS« : Readonly<Record<string, string>>» = { comma: ',', space: ' ', pipe: '|' };

/** A value as text; lists have commas between, objects are JSON. */
export function text(value« : unknown»)« : string» {
  if (Array.isArray(value)) return value.map(text).join(',');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

const MAX_DETAIL = 600;

/** What the server answered; an error says what it means and what to do about it. */
export async function readAnswer(
  response« : Response»,
  meanings« : Readonly<Record<string, string>>»,
)« : Promise<unknown>» {
  const { status, statusText, ok } = response;
  const body = await response.text();
  if (ok) return body === '' ? \`Done (\${status}).\` : parse(body);
  const meaning = meanings[status] ?? meanings[\`\${String(status)[0]}XX\`] ?? meanings.default ?? statusText;
  const what = \`The server answered \${status}\${meaning === '' ? '' : \` (\${meaning})\`}.\`;
  const detail = body.trim() === '' ? '' : \` It said: \${body.trim().slice(0, MAX_DETAIL)}\`;
  throw new Error(what + detail + advice(status, response.headers.get('retry-after')));
}

function parse(body« : string»)« : unknown» {
  try {
    return JSON.parse(body);
  } catch {
    return body; // plain text, then
  }
}

function advice(status« : number», retryAfter« : string | null»)« : string» {
  if (status === 400 || status === 422) return ' Put right what it names in the arguments, and call again.';
  if (status === 401 || status === 403)
    return " The key of this tool is missing, wrong or not allowed to do this; other arguments don't help.";
  if (status === 404 || status === 410)
    return ' Check the ids and names in the arguments: there is nothing at them.';
  if (status === 409 || status === 412)
    return ' It conflicts with what is there: look at the present state first.';
  if (status === 429)
    return \` There were too many requests: wait\${retryAfter === null ? '' : \` (\${retryAfter})\`}, then call again.\`;
  if (status >= 500) return ' The server has trouble; the same call may work later.';
  return '';
}
`;

/** http.ts, or http.js. */
export function httpHelper(isJavaScript: boolean): readonly [file: string, text: string] {
  return [isJavaScript ? 'http.js' : 'http.ts', untyped(TEXT, isJavaScript)];
}

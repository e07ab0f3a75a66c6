/** MIME types as far as bodies need them: parse, one parameter, serialize (https://mimesniff.spec.whatwg.org/). */
export interface MimeType {
  readonly essence: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const QUOTED_STRING_CHARACTERS = /^[\t\x20-\x7e\x80-\xff]*$/;
const OUTER_SPACE = /^[\t\n\r ]+|[\t\n\r ]+$/g;

export function parseMimeType(input: string): MimeType | undefined {
  const text = input.replace(OUTER_SPACE, '');
  const slash = text.indexOf('/');
  if (slash <= 0) return undefined;
  const type = text.slice(0, slash);
  let semicolon = text.indexOf(';', slash);
  if (semicolon < 0) semicolon = text.length;
  const subtype = text.slice(slash + 1, semicolon).replace(/[\t\n\r ]+$/, '');
  if (!TOKEN.test(type) || !TOKEN.test(subtype)) return undefined;
  return { essence: `${type}/${subtype}`.toLowerCase(), parameters: parseParameters(text, semicolon) };
}

function parseParameters(text: string, start: number): Map<string, string> {
  const parameters = new Map<string, string>();
  let position = start;
  while (position < text.length) {
    position++;
    while (/[\t\n\r ]/.test(text[position] ?? '')) position++;
    let end = position;
    while (end < text.length && text[end] !== ';' && text[end] !== '=') end++;
    const name = text.slice(position, end).toLowerCase();
    position = end;
    if (position >= text.length) break;
    if (text[position] === ';') continue;
    position++;
    let value: string;
    if (text[position] === '"') {
      const quoted = parseQuoted(text, position);
      value = quoted.value;
      position = text.indexOf(';', quoted.end);
      if (position < 0) position = text.length;
    } else {
      end = text.indexOf(';', position);
      if (end < 0) end = text.length;
      value = text.slice(position, end).replace(/[\t\n\r ]+$/, '');
      position = end;
      if (value === '') continue;
    }
    if (TOKEN.test(name) && QUOTED_STRING_CHARACTERS.test(value) && !parameters.has(name))
      parameters.set(name, value);
  }
  return parameters;
}

/** "Collect an HTTP quoted string" with the extract-value flag. */
function parseQuoted(text: string, start: number): { value: string; end: number } {
  let value = '';
  let position = start + 1;
  while (position < text.length && text[position] !== '"') {
    if (text[position] === '\\' && position + 1 < text.length) position++;
    value += text[position];
    position++;
  }
  return { value, end: position + 1 };
}

export function serializeMimeType(type: MimeType): string {
  let text = type.essence;
  for (const [name, value] of type.parameters) {
    text += `;${name}=${TOKEN.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`}`;
  }
  return text;
}

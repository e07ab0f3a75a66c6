const MAX_VALUE_CHARS = 300;

function json(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.length <= MAX_VALUE_CHARS ? text : `${text.slice(0, MAX_VALUE_CHARS)}...`;
}

const list = (values: unknown): string =>
  Array.isArray(values) ? values.map(json).join(', ') : json(values);

/** In words, what a keyword says that the target refuses. Plain enough for a model, and short. */
const SENTENCES: Readonly<Record<string, (value: unknown) => string>> = {
  format: (value) => `Format: ${value}.`,
  pattern: (value) => `Must match the regular expression ${value}`,
  minLength: (value) => `At least ${value} characters.`,
  maxLength: (value) => `At most ${value} characters.`,
  minimum: (value) => `At least ${value}.`,
  maximum: (value) => `At most ${value}.`,
  exclusiveMinimum: (value) => `More than ${value}.`,
  exclusiveMaximum: (value) => `Less than ${value}.`,
  multipleOf: (value) => `A multiple of ${value}.`,
  minItems: (value) => `At least ${value} items.`,
  maxItems: (value) => `At most ${value} items.`,
  uniqueItems: (value) => (value === true ? 'No item twice.' : ''),
  minProperties: (value) => `At least ${value} keys.`,
  maxProperties: (value) => `At most ${value} keys.`,
  default: (value) => `Default: ${json(value)}.`,
  examples: (value) => `Examples: ${list(value)}.`,
  enum: (value) => `One of: ${list(value)}.`,
  const: (value) => `Always ${json(value)}.`,
  additionalProperties: additionalText,
  propertyNames: (value) => `Each key must fit ${json(value)}.`,
  patternProperties: (value) => `Keys by pattern, and the schema of their values: ${json(value)}.`,
  prefixItems: (value) => `Items in this order: ${json(value)}.`,
  items: (value) => `Each item must fit ${json(value)}.`,
  contains: (value) => `At least one item must fit ${json(value)}.`,
  not: (value) => `Must not fit ${json(value)}.`,
  if: (value) => `If it fits ${json(value)}:`,
  else: (value) => `otherwise it must fit ${json(value)}.`,
  allOf: (value) => `Must also fit all of ${json(value)}.`,
  anyOf: (value) => `Must fit one of ${json(value)}.`,
  oneOf: (value) => `Must fit exactly one of ${json(value)}.`,
  dependentRequired: (value) =>
    Object.entries(value as Record<string, unknown>) // cast: canonical nodes hold an object here
      .map(([key, names]) => `With ${key} also give ${Array.isArray(names) ? names.join(', ') : names}.`)
      .join(' '),
  dependentSchemas: (value) => `Depending on the keys given: ${json(value)}.`,
  contentEncoding: (value) => `Encoding: ${value}.`,
  contentMediaType: (value) => `Media type: ${value}.`,
  deprecated: (value) => (value === true ? 'Deprecated.' : ''),
};

function additionalText(value: unknown): string {
  if (value === false) return '';
  if (value === true) return 'Other keys may be given.';
  return `Other keys may be given; each value must fit ${json(value)}.`;
}

/** Keywords that say nothing to a model. */
const SILENT = new Set([
  '$schema',
  '$id',
  'id',
  '$anchor',
  '$dynamicAnchor',
  '$comment',
  '$defs',
  'definitions',
  '$vocabulary',
]);

export function keywordText(keyword: string, value: unknown): string {
  if (SILENT.has(keyword) || keyword.startsWith('x-')) return '';
  // Not in the table: an object with a `then` would look like a promise.
  if (keyword === 'then') return `then it must fit ${json(value)}.`;
  const sentence = SENTENCES[keyword];
  if (sentence !== undefined) return sentence(value);
  return `${keyword}: ${json(value)}.`;
}

export function addText(description: unknown, texts: readonly string[]): string | undefined {
  const parts = [typeof description === 'string' ? description.trim() : '', ...texts].filter(
    (text) => text !== '',
  );
  if (parts.length === 0) return undefined;
  return parts
    .map((part, index) => (index < parts.length - 1 && /[\p{L}\p{N})]$/u.test(part) ? `${part}.` : part))
    .join(' ');
}

/** Does the pattern read the same elsewhere? `regular`: no look-around, no back-reference, no word boundary. */
export function patternFits(pattern: string, rule: 'any' | 'portable' | 'regular'): boolean {
  if (rule === 'any') return true;
  // Named groups, Unicode properties and \u{...} are spelled otherwise in Python and RE2.
  if (/\\[pPk]|\(\?<(?![=!])|\\u\{|\\c[A-Za-z]|\[\^\]|\[\]/.test(pattern)) return false;
  try {
    new RegExp(pattern, 'u');
  } catch {
    return false;
  }
  return rule === 'portable' || !/\(\?[=!<]|\\[1-9]|\\[bB]/.test(pattern);
}

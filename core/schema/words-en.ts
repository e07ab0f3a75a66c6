import type { Words } from './words.ts';

const COMPARISONS: Readonly<Record<string, string>> = {
  '>=': 'at least',
  '>': 'greater than',
  '<=': 'at most',
  '<': 'less than',
};

const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

export const ENGLISH: Words = {
  root: { arguments: 'The arguments', result: 'The result', file: 'The file' },
  types: {
    string: 'a string',
    number: 'a number',
    integer: 'an integer',
    boolean: 'a boolean (true or false)',
    array: 'an array',
    object: 'an object',
    null: 'null',
  },
  list: (parts, conjunction) =>
    parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} ${conjunction} ${parts.at(-1)}`,
  more: (count) => `${count} more`,

  received: {
    string: (shown, characters) =>
      characters > 40 ? `the string ${shown} (${characters} characters)` : `the string ${shown}`,
    scalar: (type, shown) => `the ${type} ${shown}`,
    array: (items) => (items === 0 ? 'an empty array' : `an array of ${plural(items, 'item')}`),
    object: (keys) => (keys.length === 0 ? 'an empty object' : `an object with ${keys.join(', ')}`),
    null: 'null',
  },

  expected: {
    oneOf: (values) => (values.length === 1 ? `${values[0]}` : `one of ${values.join(', ')}`),
    exactly: (value) => `exactly ${value}`,
    limit: (comparison, limit) => `${COMPARISONS[comparison] ?? comparison} ${limit}`,
    multipleOf: (factor) => `a multiple of ${factor}`,
    characters: (bound, count) => `a string of at ${bound} ${plural(count, 'character')}`,
    items: (bound, count) => `an array of at ${bound} ${plural(count, 'item')}`,
    keys: (bound, count) => `an object with at ${bound} ${plural(count, 'key')}`,
    format: (format, example) =>
      `a string in the format ${format}${example === undefined ? '' : `, such as ${example}`}`,
    pattern: (pattern) => `a string that matches the pattern ${pattern}`,
    objectWith: (keys) => `an object with ${keys.join(', ')}`,
    arrayOf: (items) => `an array whose items are each ${items}`,
    different: 'something else: this value is excluded',
    notLike: (excluded) => `anything but ${excluded}`,
    anything: 'any value',
  },

  mustBe: (name, expected, received) => `${name} must be ${expected}, not ${received}.`,
  missing: (name, expected) =>
    `${name} is required but missing${expected === undefined ? '' : `; it must be ${expected}`}.`,
  missingBecause: (name, because) => `${name} is missing; it is required when ${because} is given.`,
  missingChoice: (name, expected) => `${name} is required but missing; it must be ${expected}.`,
  unknownKey: (name, known) =>
    `${name} is not a known key; ${known.length === 0 ? 'none is allowed here' : `known here: ${known.join(', ')}`}.`,
  forbiddenKey: (name) => `${name} is not allowed here.`,
  badKey: (name, key, expected) =>
    `${name} has the key ${key}, which is not allowed${expected === undefined ? '' : `: a key must be ${expected}`}.`,
  duplicates: (name, first, second, shown) =>
    `${name} must not repeat an item, but items ${first} and ${second} are both ${shown}.`,
  contains: (name, minimum, maximum, expected) =>
    maximum === undefined
      ? `${name} must have at least ${plural(minimum, 'item')} that ${minimum === 1 ? 'is' : 'are'} ${expected}.`
      : `${name} must have from ${minimum} to ${plural(maximum, 'item')} that are ${expected}.`,
  extraItems: (name, count) => `${name} must have no more than ${plural(count, 'item')}.`,
  oneOfThese: (name, alternatives, received) =>
    `${name} must be one of these: ${alternatives.map((text, index) => `(${index + 1}) ${text}`).join('; ')}; it is ${received}.`,
  severalOfThese: (name, alternatives) =>
    `${name} fits more than one of the alternatives, of which exactly one must hold: ${alternatives.join('; ')}.`,
  broken: (name, keyword) => `${name}: the rule "${keyword}" of the schema does not hold.`,
  didYouMean: (name) => ` Did you mean ${name}?`,
  givenInstead: (name) => ` ${name} was given; is that what was meant?`,
  uncheckable: (name, reason) =>
    reason === 'large'
      ? `${name} can't be checked against the schema within bounds; send less at once.`
      : `${name} can't be checked: nested too deeply.`,
};

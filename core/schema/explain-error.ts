import type { ErrorObject } from 'ajv';
import type { Issue } from '../call/result.ts';
import { describeSchema, describeTypes, FORMAT_EXAMPLES } from './describe-schema.ts';
import { type Explaining, withSuggestion } from './issues.ts';
import { isRecord, pathKeys, printPath } from './pointer.ts';
import { describeReceived, showKey, showList, showValue } from './show.ts';
import { findSimilar } from './similar.ts';

interface Place {
  readonly path: string;
  /** Ready to print: `filters[2].name` in backticks, or "The arguments". */
  readonly name: string;
  base(keyword: string): { readonly path: string; readonly keyword: string };
}

export function issueAt(pointer: string, context: Explaining, key?: string): Place {
  const keys = pathKeys(context.root, pointer);
  const path = printPath(key === undefined ? keys : [...keys, key]);
  const name = path === '' ? context.words.root[context.subject] : `\`${path}\``;
  return { path, name, base: (keyword) => ({ path, keyword }) };
}

/** One error of ajv's that isn't anyOf or oneOf. */
export function explainError(error: ErrorObject, context: Explaining): readonly Issue[] {
  const special = SPECIAL[error.keyword];
  if (special) return [special(error, context)];
  const { words } = context;
  const place = issueAt(error.instancePath, context);
  const expected = expectedBy(error, context);
  if (expected === undefined) {
    return [{ ...place.base(error.keyword), message: words.broken(place.name, error.keyword) }];
  }
  const received = describeReceived(dataOf(error, context), words);
  const message = words.mustBe(place.name, expected, received);
  return [{ ...place.base(error.keyword), message, expected, received }];
}

/** Verbose engines give the value; without it, it is found by its path. */
function dataOf(error: ErrorObject, { root }: Explaining): unknown {
  if ('data' in error) return error.data;
  let value: unknown = root;
  for (const key of pathKeys(root, error.instancePath)) {
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  }
  return value;
}

/** What the keyword wants, as it follows "must be". */
export function expectedBy(
  { keyword, params, schema }: ErrorObject,
  context: Explaining,
): string | undefined {
  const { words } = context;
  const { expected } = words;
  const limit = Number(params.limit);
  switch (keyword) {
    case 'type':
      return describeTypes([params.type].flat(), words);
    case 'const':
      return expected.exactly(showValue(params.allowedValue));
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return expected.limit(String(params.comparison), String(limit));
    case 'multipleOf':
      return expected.multipleOf(String(params.multipleOf));
    case 'minLength':
      return expected.characters('least', limit);
    case 'maxLength':
      return expected.characters('most', limit);
    case 'minItems':
      return expected.items('least', limit);
    case 'maxItems':
      return expected.items('most', limit);
    case 'minProperties':
      return expected.keys('least', limit);
    case 'maxProperties':
      return expected.keys('most', limit);
    case 'format':
      return expected.format(String(params.format), FORMAT_EXAMPLES[String(params.format)]);
    case 'pattern':
      return expected.pattern(showValue(params.pattern).slice(1, -1).replaceAll('\\\\', '\\'));
    case 'not':
      return expectedNot(schema, context);
    default:
      return undefined;
  }
}

function expectedNot(schema: unknown, { words, schema: root }: Explaining): string {
  const excluded = describeSchema(schema, root, words);
  return excluded === undefined ? words.expected.different : words.expected.notLike(excluded);
}

type Special = (error: ErrorObject, context: Explaining) => Issue;

const SPECIAL: Readonly<Record<string, Special>> = Object.assign(Object.create(null), {
  required: explainMissing,
  dependentRequired: explainDependent,
  dependencies: explainDependent,
  additionalProperties: (error, context) =>
    explainUnknownKey(error, String(error.params.additionalProperty), context),
  unevaluatedProperties: (error, context) =>
    explainUnknownKey(error, String(error.params.unevaluatedProperty), context),
  enum: explainEnum,
  propertyNames: explainKeyName,
  uniqueItems: explainDuplicate,
  contains: explainContains,
  additionalItems: explainExtraItems,
  items: explainExtraItems,
  unevaluatedItems: explainExtraItems,
  'false schema': (error, context) => {
    const place = issueAt(error.instancePath, context);
    return { ...place.base('not'), message: context.words.forbiddenKey(place.name) };
  },
} satisfies Record<string, Special>);

function explainMissing(error: ErrorObject, context: Explaining): Issue {
  const { words, schema: root } = context;
  const missing = String(error.params.missingProperty);
  const { path, name } = issueAt(error.instancePath, context, missing);
  const properties = propertiesOf(error);
  const expected = describeSchema(properties[missing], root, words);
  const issue = {
    path,
    keyword: 'required',
    message: words.missing(name, expected),
    ...(expected !== undefined && { expected }),
  };
  // A key that nobody asked for may be the missing one, misspelt.
  const data = dataOf(error, context);
  const unknown = isRecord(data) ? Object.keys(data).filter((key) => !Object.hasOwn(properties, key)) : [];
  const near = error.parentSchema === undefined ? undefined : findSimilar(missing, unknown);
  return near === undefined
    ? issue
    : { ...issue, message: `${issue.message}${words.givenInstead(showKey(near))}` };
}

function explainDependent(error: ErrorObject, context: Explaining): Issue {
  const { path, name } = issueAt(error.instancePath, context, String(error.params.missingProperty));
  const message = context.words.missingBecause(name, showKey(String(error.params.property)));
  return { path, keyword: 'dependentRequired', message };
}

function explainUnknownKey(error: ErrorObject, key: string, context: Explaining): Issue {
  const { words } = context;
  const { path, name } = issueAt(error.instancePath, context, key);
  const known = Object.keys(propertiesOf(error));
  const message = words.unknownKey(name, showList(known.map(showKey), words));
  const issue = { path, keyword: error.keyword, message, allowed: known.slice(0, 50) };
  // What is already there can't have been meant.
  const data = dataOf(error, context);
  const free = known.filter((name) => !isRecord(data) || !Object.hasOwn(data, name));
  const near = findSimilar(key, free);
  return near === undefined
    ? issue
    : { ...issue, suggestion: near, message: `${message}${words.didYouMean(showKey(near))}` };
}

function explainEnum(error: ErrorObject, context: Explaining): Issue {
  const { words } = context;
  const place = issueAt(error.instancePath, context);
  const allowed: readonly unknown[] = Array.isArray(error.params.allowedValues)
    ? error.params.allowedValues
    : [];
  const expected = words.expected.oneOf(showList(allowed.map(showValue), words));
  const data = dataOf(error, context);
  const received = describeReceived(data, words);
  const message = words.mustBe(place.name, expected, received);
  return withSuggestion(
    { ...place.base('enum'), message, expected, received, allowed },
    data,
    allowed,
    words,
  );
}

function explainKeyName(error: ErrorObject, context: Explaining): Issue {
  const { words } = context;
  const key = String(error.params.propertyName);
  const place = issueAt(error.instancePath, context);
  // toTree has put the reason there.
  const inner = error.params.inner as ErrorObject | undefined;
  const allowed: unknown = inner?.keyword === 'enum' ? inner.params.allowedValues : undefined;
  const expected = Array.isArray(allowed)
    ? words.expected.oneOf(showList(allowed.map(showValue), words))
    : inner && expectedBy(inner, context);
  const message = words.badKey(place.name, showKey(key), expected);
  return { path: issueAt(error.instancePath, context, key).path, keyword: 'propertyNames', message };
}

function explainDuplicate(error: ErrorObject, context: Explaining): Issue {
  const place = issueAt(error.instancePath, context);
  const [first, second] = [Number(error.params.i), Number(error.params.j)];
  const data = dataOf(error, context);
  const shown = showValue(Array.isArray(data) ? data[second] : undefined);
  return {
    ...place.base('uniqueItems'),
    message: context.words.duplicates(place.name, first, second, shown),
  };
}

function explainContains(error: ErrorObject, context: Explaining): Issue {
  const { words, schema: root } = context;
  const place = issueAt(error.instancePath, context);
  const minimum = typeof error.params.minContains === 'number' ? error.params.minContains : 1;
  const maximum = typeof error.params.maxContains === 'number' ? error.params.maxContains : undefined;
  const expected = describeSchema(error.schema, root, words) ?? words.expected.anything;
  return {
    ...place.base('contains'),
    message: words.contains(place.name, minimum, maximum, expected),
    expected,
  };
}

function explainExtraItems(error: ErrorObject, context: Explaining): Issue {
  const place = issueAt(error.instancePath, context);
  const limit = Number(error.params.limit ?? error.params.len);
  return { ...place.base('maxItems'), message: context.words.extraItems(place.name, limit) };
}

function propertiesOf(error: ErrorObject): Readonly<Record<string, unknown>> {
  const properties: unknown = error.parentSchema?.properties;
  return isRecord(properties) ? properties : {};
}

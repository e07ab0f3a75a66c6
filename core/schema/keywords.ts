/** What a keyword's value has to be. Keywords that aren't listed are annotations: kept, without meaning. */
export type KeywordKind =
  | 'schema'
  | 'schema map'
  | 'schema list'
  | 'count'
  | 'number'
  | 'boolean'
  | 'string'
  | 'list';

const KINDS: Readonly<Record<KeywordKind, readonly string[]>> = {
  schema:
    'additionalProperties propertyNames contains not if then else unevaluatedItems unevaluatedProperties additionalItems contentSchema'.split(
      ' ',
    ),
  'schema map': 'patternProperties $defs definitions dependentSchemas'.split(' '),
  'schema list': 'anyOf oneOf allOf prefixItems'.split(' '),
  count: 'minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains'.split(
    ' ',
  ),
  number: 'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'.split(' '),
  boolean: 'uniqueItems deprecated readOnly writeOnly $recursiveAnchor'.split(' '),
  string:
    'title description $comment $anchor $dynamicAnchor $id $ref $dynamicRef $recursiveRef contentMediaType contentEncoding format pattern'.split(
      ' ',
    ),
  list: ['examples'],
};

export const KEYWORD_KINDS: ReadonlyMap<string, KeywordKind> = new Map(
  Object.entries(KINDS).flatMap(([kind, keywords]) =>
    // Object.entries forgets that the keys are kinds.
    keywords.map((keyword) => [keyword, kind as KeywordKind] as const),
  ),
);

/** Keywords that a dialect doesn't know, and so would pass over without a word. */
export const UNKNOWN_TO: Readonly<Record<string, ReadonlySet<string>>> = {
  'draft-07': new Set(
    'prefixItems dependentRequired dependentSchemas unevaluatedItems unevaluatedProperties minContains maxContains $dynamicRef $recursiveRef'.split(
      ' ',
    ),
  ),
  '2019-09': new Set(['prefixItems', '$dynamicRef']),
  '2020-12': new Set(['additionalItems', '$recursiveRef']),
};

/** The dialects of JSON Schema that tools are written in. */
export type Dialect = 'draft-07' | '2019-09' | '2020-12';

/** What a schema without `$schema` is taken for. */
export const DEFAULT_DIALECT: Dialect = '2020-12';

const DIALECTS: Readonly<Record<string, Dialect>> = {
  'json-schema.org/draft-07/schema': 'draft-07',
  'json-schema.org/draft/2019-09/schema': '2019-09',
  'json-schema.org/draft/2020-12/schema': '2020-12',
};

export const DIALECT_NAMES = 'draft-07, 2019-09, 2020-12 or none';

/** The dialect that a `$schema` names; http or https and a trailing `#` make no difference. */
export function readDialect(uri: string): Dialect | undefined {
  const name = uri
    .trim()
    .replace(/^https?:\/\//, '')
    .replace(/#$/, '');
  return Object.hasOwn(DIALECTS, name) ? DIALECTS[name] : undefined;
}

import {
  _,
  type Ajv,
  type Code,
  type CodeKeywordDefinition,
  type ErrorObject,
  type KeywordCxt,
  Name,
} from 'ajv';

/** ajv's own names of the local variable that counts errors. */
const ERRORS = new Name('errors');

/**
 * Makes the errors of composite keywords say how many of the errors right before them are their own branches':
 * ajv lists all errors flat, and by `schemaPath` a branch behind a `$ref` can't be told from a neighbour.
 */
export function tellBranchesApart(ajv: Ajv): void {
  replace(ajv, 'anyOf', { code: anyOf, error: unionError });
  replace(ajv, 'oneOf', { code: oneOf, error: unionError });
  replace(ajv, 'contains', {
    error: {
      message: 'contains',
      params: (context) =>
        _`{minContains: ${context.params.min ?? null}, maxContains: ${context.params.max ?? null}, nested: ${ERRORS} - ${startOf(context)}}`,
    },
  });
}

type Rule = NonNullable<ReturnType<typeof ruleOf>>;

function ruleOf(ajv: Ajv, keyword: string) {
  const rule = ajv.RULES.all[keyword];
  return typeof rule === 'object' ? rule.definition : undefined;
}

/** ajv copies a keyword's definition into each engine, so a change stays within this one. */
function replace(ajv: Ajv, keyword: string, change: Partial<CodeKeywordDefinition>): void {
  const rule: Rule | undefined = ruleOf(ajv, keyword);
  if (rule) Object.assign(rule, change);
}

const unionError: NonNullable<CodeKeywordDefinition['error']> = {
  message: 'union',
  params: ({ params }) => _`{counts: ${params.counts}, passing: ${params.passing}}`,
};

/** ajv hands its error functions the whole context, whatever their type says. */
function startOf(context: { readonly errsCount?: Name | undefined }): Code | Name {
  return context.errsCount ?? _`0`;
}

function anyOf(context: KeywordCxt): void {
  const { passing } = runBranches(context);
  context.result(
    _`${passing}.length > 0`,
    () => context.reset(),
    () => context.error(true),
  );
}

function oneOf(context: KeywordCxt): void {
  const { passing } = runBranches(context);
  context.result(
    _`${passing}.length === 1`,
    () => context.reset(),
    () => context.error(true),
  );
}

/** Runs every branch, and notes which pass and how many errors there are after each. */
function runBranches(context: KeywordCxt): { passing: Name } {
  const { gen, keyword } = context;
  const branches: unknown = context.schema;
  const valid = gen.name('_valid');
  const counts = gen.const('counts', _`[]`);
  const passing = gen.const('passing', _`[]`);
  context.setParams({ counts, passing });
  gen.block(() => {
    for (let index = 0; Array.isArray(branches) && index < branches.length; index++) {
      const branch = context.subschema({ keyword, schemaProp: index, compositeRule: true }, valid);
      gen.code(_`${counts}.push(${ERRORS} - ${startOf(context)})`);
      gen.if(valid, () => {
        gen.code(_`${passing}.push(${index})`);
        context.mergeEvaluated(branch, Name);
      });
    }
  });
  return { passing };
}

export interface ErrorNode {
  readonly error: ErrorObject;
  /** For anyOf and oneOf: the errors of each branch. */
  readonly branches: readonly (readonly ErrorNode[])[];
}

/** ajv's flat list as a tree, read from its end: a composite keyword's error stands right after its branches'. */
export function toTree(errors: readonly ErrorObject[]): readonly ErrorNode[] {
  const nodes: ErrorNode[] = [];
  let end = errors.length;
  while (end > 0) {
    const error = errors[end - 1];
    if (error === undefined) break;
    const ends: readonly number[] = Array.isArray(error.params.counts) ? error.params.counts : [];
    const nested = ends.at(-1) ?? (typeof error.params.nested === 'number' ? error.params.nested : 0);
    const start = Math.max(0, end - 1 - nested);
    const branches = ends.map((stop, index) =>
      toTree(errors.slice(start + (ends[index - 1] ?? 0), start + stop)),
    );
    nodes.unshift({ error, branches });
    end = start;
    if (error.keyword === 'propertyNames') end = skipNameErrors(errors, error, end);
  }
  return nodes;
}

/** What is wrong with a key itself is kept with the key's error. */
function skipNameErrors(errors: readonly ErrorObject[], error: ErrorObject, end: number): number {
  let start = end;
  while (errors[start - 1]?.propertyName === error.params.propertyName && start > 0) start--;
  const first = errors[start];
  if (first && start < end) error.params.inner = first;
  return start;
}

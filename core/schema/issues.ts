import type { ErrorObject } from 'ajv';
import type { Issue } from '../call/result.ts';
import type { Locale } from '../config/config.ts';
import { type Branch, findMeant } from './branch-meant.ts';
import { describeSchema, describeTypes } from './describe-schema.ts';
import { explainError, issueAt } from './explain-error.ts';
import { pathKeys, printPath } from './pointer.ts';
import { describeReceived, showList, showValue } from './show.ts';
import { findSimilar } from './similar.ts';
import { type ErrorNode, toTree } from './unions.ts';
import type { Subject, Words } from './words.ts';
import { ENGLISH } from './words-en.ts';
import { CHINESE } from './words-zh.ts';

export type { Subject } from './words.ts';

/** More than a model can mend at once helps nobody. */
export const MAX_ISSUES = 20;

export interface IssueContext {
  readonly locale: Locale;
  readonly subject: Subject;
  /** The whole value that was checked. */
  readonly root: unknown;
  /** The whole schema: where `$ref` starts. */
  readonly schema: unknown;
}

export interface Explaining extends IssueContext {
  readonly words: Words;
}

/**
 * Turns ajv's errors into issues that a model can act on: from `params`, never from ajv's own messages. Of anyOf and
 * oneOf only what is wrong with the branch that was meant is told, or the alternatives where none clearly was.
 */
export function describeErrors(errors: readonly ErrorObject[], context: IssueContext): Issue[] {
  const explaining = { ...context, words: context.locale === 'zh' ? CHINESE : ENGLISH };
  const issues = new Map<string, Issue>();
  for (const node of toTree(errors)) {
    for (const issue of explainNode(node, explaining)) issues.set(`${issue.path}\n${issue.message}`, issue);
    if (issues.size >= MAX_ISSUES) break;
  }
  return [...issues.values()].slice(0, MAX_ISSUES);
}

/** The answer for a value whose check would take too long. */
export function describeUncheckable(reason: 'large' | 'deep', context: IssueContext): Issue {
  const words = context.locale === 'zh' ? CHINESE : ENGLISH;
  return { path: '', keyword: 'limit', message: words.uncheckable(words.root[context.subject], reason) };
}

function explainNode(node: ErrorNode, context: Explaining): readonly Issue[] {
  const { error } = node;
  // Verbose engines give the branches as `schema`; without them (verdict mode) there is nothing to prune.
  if ((error.keyword === 'anyOf' || error.keyword === 'oneOf') && Array.isArray(error.schema)) {
    return explainUnion(node, error.schema, context);
  }
  // What `then` or `else` wants has been told by their own errors.
  return error.keyword === 'if' ? [] : explainError(error, context);
}

function explainUnion(node: ErrorNode, schemas: readonly unknown[], context: Explaining): readonly Issue[] {
  const { error } = node;
  const { words, schema: root } = context;
  const place = issueAt(error.instancePath, context);
  const passing: readonly number[] = Array.isArray(error.params.passing) ? error.params.passing : [];
  if (passing.length > 1) {
    const fitting = passing.map((index) => describeSchema(schemas[index], root, words) ?? `#${index + 1}`);
    return [{ ...place.base(error.keyword), message: words.severalOfThese(place.name, fitting) }];
  }
  const branches: readonly Branch[] = schemas.map((schema, index) => ({
    schema,
    errors: node.branches[index] ?? [],
  }));
  const meant = findMeant(branches, error.data, error.instancePath, root);
  switch (meant.kind) {
    case 'branch':
      return meant.branch.errors.flatMap((inner) => explainNode(inner, context));
    case 'types':
      return [mustBe(error, 'type', describeTypes(meant.types, words), context)];
    case 'values':
      return [mustBe(error, 'enum', oneOf(meant.allowed, words), context, meant.allowed)];
    case 'discriminator':
      return [explainDiscriminator(error, meant, context)];
    case 'unclear':
      return [listAlternatives(error, schemas, context)];
  }
}

function explainDiscriminator(
  error: ErrorObject,
  { key, allowed, missing }: { key: string; allowed: readonly unknown[]; missing: boolean },
  context: Explaining,
): Issue {
  const { words, root } = context;
  const expected = oneOf(allowed, words);
  const path = printPath([...pathKeys(root, error.instancePath), key]);
  if (missing) {
    return {
      path,
      keyword: 'required',
      message: words.missingChoice(`\`${path}\``, expected),
      expected,
      allowed,
    };
  }
  const value: unknown = Reflect.get(Object(error.data), key);
  const received = describeReceived(value, words);
  const message = words.mustBe(`\`${path}\``, expected, received);
  return withSuggestion(
    { path, keyword: 'enum', message, expected, received, allowed },
    value,
    allowed,
    words,
  );
}

function listAlternatives(error: ErrorObject, schemas: readonly unknown[], context: Explaining): Issue {
  const { words, schema: root } = context;
  const place = issueAt(error.instancePath, context);
  const described = schemas.map((schema) => describeSchema(schema, root, words) ?? words.expected.anything);
  const alternatives = showList([...new Set(described)], words);
  const received = describeReceived(error.data, words);
  const message = words.oneOfThese(place.name, alternatives, received);
  return { ...place.base(error.keyword), message, expected: alternatives.join('; '), received };
}

function mustBe(
  error: ErrorObject,
  keyword: string,
  expected: string,
  context: Explaining,
  allowed?: readonly unknown[],
): Issue {
  const { words } = context;
  const place = issueAt(error.instancePath, context);
  const received = describeReceived(error.data, words);
  const message = words.mustBe(place.name, expected, received);
  const issue = { ...place.base(keyword), message, expected, received, ...(allowed && { allowed }) };
  return allowed ? withSuggestion(issue, error.data, allowed, words) : issue;
}

function oneOf(values: readonly unknown[], words: Words): string {
  return words.expected.oneOf(showList(values.map(showValue), words));
}

/** "Did you mean …?" for a value that is close to an allowed one. */
export function withSuggestion(
  issue: Issue,
  value: unknown,
  allowed: readonly unknown[],
  words: Words,
): Issue {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return issue;
  const near = findSimilar(String(value), allowed.filter((item) => typeof item !== 'object').map(String));
  const meant = allowed.find((item) => typeof item !== 'object' && String(item) === near);
  if (near === undefined || meant === undefined) return issue;
  return { ...issue, suggestion: near, message: `${issue.message}${words.didYouMean(showValue(meant))}` };
}

import type { Issue } from '../result.ts';

/** The validator writes its sentences in English; the Chinese ones are made of the same facts. */
export function describeIssueInChinese(issue: Issue): string {
  // A validator that writes Chinese itself knows more than its facts tell.
  if (/\p{Script=Han}/u.test(issue.message)) return issue.message;
  const at = issue.path === '' ? '参数' : issue.path;
  const sentence = `${at}：${describe(issue)}`;
  return `${sentence}${received(issue)}${suggestion(issue)}。`;
}

function describe({ keyword, expected, allowed }: Issue): string {
  if (allowed !== undefined && allowed.length > 0)
    return `必须是以下之一：${allowed.map((value) => JSON.stringify(value)).join('、')}`;
  const text = SENTENCES[keyword];
  if (text !== undefined) return text(expected);
  return expected === undefined ? `不符合“${keyword}”的要求` : `应为 ${expected}`;
}

type Sentence = (expected: string | undefined) => string;

const wants =
  (what: string): Sentence =>
  (expected) =>
    expected === undefined ? what : `${what}（应为 ${expected}）`;

const SENTENCES: Readonly<Record<string, Sentence>> = {
  required: wants('缺少必填项'),
  dependentRequired: wants('缺少同时必填的项'),
  dependencies: wants('缺少同时必填的项'),
  additionalProperties: () => '不是允许的参数名',
  unevaluatedProperties: () => '不是允许的参数名',
  propertyNames: wants('键名不符合要求'),
  type: wants('类型不正确'),
  format: wants('格式不正确'),
  pattern: wants('不符合要求的模式'),
  minLength: wants('文本太短'),
  maxLength: wants('文本太长'),
  minimum: wants('数字太小'),
  exclusiveMinimum: wants('数字太小'),
  maximum: wants('数字太大'),
  exclusiveMaximum: wants('数字太大'),
  multipleOf: wants('不是要求的倍数'),
  minItems: wants('条目太少'),
  maxItems: wants('条目太多'),
  uniqueItems: () => '条目重复',
  contains: wants('缺少要求的条目'),
  minProperties: wants('键太少'),
  maxProperties: wants('键太多'),
  anyOf: wants('不符合任何一种允许的形式'),
  oneOf: wants('必须恰好符合一种允许的形式'),
  not: wants('不允许这样的值'),
  const: wants('不是要求的值'),
  enum: wants('不是允许的值'),
  json: wants('不是可用的 JSON 参数'),
};

function received({ received: value, keyword }: Issue): string {
  return value === undefined || keyword === 'required' ? '' : `，实际为 ${value}`;
}

function suggestion({ suggestion: meant }: Issue): string {
  return meant === undefined ? '' : `；是否想用“${meant}”`;
}

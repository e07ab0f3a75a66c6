import type { Words } from './words.ts';

const COMPARISONS: Readonly<Record<string, string>> = {
  '>=': '不小于',
  '>': '大于',
  '<=': '不大于',
  '<': '小于',
};

/** A name in backticks stands apart from Chinese text; a Chinese one doesn't. */
const apart = (name: string): string => (name.endsWith('`') ? `${name} ` : name);

const bound = (which: 'least' | 'most'): string => (which === 'least' ? '至少' : '至多');

export const CHINESE: Words = {
  root: { arguments: '参数', result: '结果', file: '文件' },
  types: {
    string: '字符串',
    number: '数字',
    integer: '整数',
    boolean: '布尔值（true 或 false）',
    array: '数组',
    object: '对象',
    null: 'null',
  },
  list: (parts, conjunction) => {
    const word = conjunction === 'or' ? '或' : '和';
    return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join('、')}${word}${parts.at(-1)}`;
  },
  more: (count) => `另有 ${count} 个`,

  received: {
    string: (shown, characters) =>
      characters > 40 ? `字符串 ${shown}（共 ${characters} 个字符）` : `字符串 ${shown}`,
    scalar: (type, shown) => `${type === 'number' ? '数字' : '布尔值'} ${shown}`,
    array: (items) => (items === 0 ? '空数组' : `含 ${items} 项的数组`),
    object: (keys) => (keys.length === 0 ? '空对象' : `含有 ${keys.join('、')} 的对象`),
    null: 'null',
  },

  expected: {
    oneOf: (values) => (values.length === 1 ? `${values[0]}` : `以下之一：${values.join('、')}`),
    exactly: (value) => value,
    limit: (comparison, limit) => `${COMPARISONS[comparison] ?? comparison} ${limit} 的数`,
    multipleOf: (factor) => `${factor} 的倍数`,
    characters: (which, count) => `${bound(which)} ${count} 个字符的字符串`,
    items: (which, count) => `${bound(which)} ${count} 项的数组`,
    keys: (which, count) => `${bound(which)} ${count} 个键的对象`,
    format: (format, example) =>
      `格式为 ${format} 的字符串${example === undefined ? '' : `（例如 ${example}）`}`,
    pattern: (pattern) => `匹配正则表达式 ${pattern} 的字符串`,
    objectWith: (keys) => `含有 ${keys.join('、')} 的对象`,
    arrayOf: (items) => `每项均为${items}的数组`,
    different: '其他值（该值被排除）',
    notLike: (excluded) => `${excluded}以外的值`,
    anything: '任意值',
  },

  mustBe: (name, expected, received) => `${apart(name)}应为${expected}，而收到的是${received}。`,
  missing: (name, expected) => `缺少必填的 ${name}${expected === undefined ? '' : `，应为${expected}`}。`,
  missingBecause: (name, because) => `缺少 ${name}：给出 ${because} 时必须同时给出它。`,
  missingChoice: (name, expected) => `缺少必填的 ${name}，应为${expected}。`,
  unknownKey: (name, known) =>
    `${apart(name)}不是已知的键；${known.length === 0 ? '此处不允许任何键' : `此处可用的键：${known.join('、')}`}。`,
  forbiddenKey: (name) => `此处不允许 ${name}。`,
  badKey: (name, key, expected) =>
    `${apart(name)}含有不允许的键 ${key}${expected === undefined ? '' : `：键应为${expected}`}。`,
  duplicates: (name, first, second, shown) =>
    `${apart(name)}中的项不得重复，但第 ${first} 项和第 ${second} 项（从 0 起）都是 ${shown}。`,
  contains: (name, minimum, maximum, expected) =>
    maximum === undefined
      ? `${apart(name)}中至少要有 ${minimum} 项为${expected}。`
      : `${apart(name)}中要有 ${minimum} 到 ${maximum} 项为${expected}。`,
  extraItems: (name, count) => `${apart(name)}不得超过 ${count} 项。`,
  oneOfThese: (name, alternatives, received) =>
    `${apart(name)}不符合任何一种可选形式：${alternatives.map((text, index) => `(${index + 1}) ${text}`).join('；')}。收到的是${received}。`,
  severalOfThese: (name, alternatives) =>
    `${apart(name)}同时符合多种形式，而只能符合其中一种：${alternatives.join('；')}。`,
  broken: (name, keyword) => `${apart(name)}不符合规则“${keyword}”。`,
  didYouMean: (name) => `是否想写 ${name}？`,
  givenInstead: (name) => `收到了 ${name}，是否就是它？`,
  uncheckable: (name, reason) =>
    reason === 'large'
      ? `${apart(name)}过于庞大，无法在限度内校验；请减少一次发送的内容。`
      : `${apart(name)}嵌套过深，无法校验。`,
};

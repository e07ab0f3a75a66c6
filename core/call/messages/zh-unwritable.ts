/** What the packers on both sides of the wall say of a result that they can't write. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^it refers back to itself$/, '它引用了自身'],
  [/^it is nested too deeply or too long to be written as JSON$/, '嵌套过深或内容过长'],
  [/^it is nested deeper than (\d+) levels$/, '嵌套超过 $1 层'],
  [/^reading it failed \(.*\)$/, '读取失败（getter、proxy 或 toJSON 抛出了错误）'],
  [/^a (function|symbol) is no JSON value$/, '$1 不是 JSON 值'],
  [/^a (.+) has no form in JSON$/, '$1 没有对应的 JSON 形式'],
  [/^a promise that was not awaited$/, '有未 await 的 Promise'],
  [/^it is no JSON$/, '不是 JSON'],
];

export function unwritableInChinese(detail: string | undefined): string | undefined {
  if (detail === undefined) return undefined;
  const known = REASONS.find(([pattern]) => pattern.test(detail));
  return known === undefined ? detail : detail.replace(...known);
}

const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/** A path as a model would write it: `filters[2].name`, `headers["x y"]`. */
export function formatPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    if (!PLAIN_KEY.test(step)) return `${text}[${JSON.stringify(step)}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}

interface JsonataError {
  readonly code: string;
  readonly message: string;
  readonly position?: number;
}

function isJsonataError(error: unknown): error is JsonataError {
  return typeof error === 'object' && error !== null && 'code' in error && 'message' in error;
}

/** What is wrong, where in the query, and what the likely confusion with other query languages is. */
export function describeQueryError(error: unknown, query: string, input: unknown): string {
  if (!isJsonataError(error))
    return `The query failed: ${error instanceof Error ? error.message : String(error)}`;
  const near =
    error.position === undefined
      ? ''
      : ` (at character ${error.position}: "${around(query, error.position)}")`;
  return `The query failed: ${error.message}${near}.${confusion(query)}${keys(input)}`;
}

function around(query: string, position: number): string {
  const start = Math.max(0, position - 15);
  return `${start > 0 ? '…' : ''}${query.slice(start, position + 15)}${position + 15 < query.length ? '…' : ''}`;
}

function confusion(query: string): string {
  if (/\[\?|\.\.\w|@\./.test(query)) {
    return ' This is JSONata, not JSONPath: write items[price > 10] for $.items[?(@.price > 10)], and **.name for $..name.';
  }
  if (/^\s*\.|\|\s*(map|select|length|keys|\.)|\[\]/.test(query)) {
    return ' This is JSONata, not jq: write items[price > 10].name for .items[] | select(.price > 10) | .name.';
  }
  return '';
}

function keys(input: unknown): string {
  const first: unknown = Array.isArray(input) ? input[0] : input;
  if (typeof first !== 'object' || first === null) return '';
  const names = Object.keys(first).slice(0, 20).join(', ');
  return ` ${Array.isArray(input) ? 'The data is a list of objects with' : 'The data has'} the keys: ${names}.`;
}

import jsonata from 'jsonata';
import { describeQueryError } from './query-error.ts';
import type { Arguments } from './schema.d.ts';

export default async function queryJson({ data, query }: Arguments): Promise<unknown> {
  const input = typeof data === 'string' ? parseText(data) : data;
  const result = await evaluate(query, input);
  // JSONata's "nothing" is the empty sequence.
  if (result === undefined) return [];
  if (isFunction(result))
    throw new Error('The query gives a function, not data. Call it: $sum(items.price).');
  // Its sequences are arrays with properties of its own; a copy has none.
  return Array.isArray(result) ? [...result] : result;
}

/** JSONata's own functions are objects with a mark. */
function isFunction(result: unknown): boolean {
  if (typeof result === 'function') return true;
  return (
    typeof result === 'object' &&
    result !== null &&
    ('_jsonata_function' in result || '_jsonata_lambda' in result)
  );
}

async function evaluate(query: string, input: unknown): Promise<unknown> {
  try {
    return await jsonata(query).evaluate(input);
  } catch (error) {
    throw new Error(describeQueryError(error, query, input));
  }
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`"data" is a string that holds no valid JSON: ${reason}`);
  }
}

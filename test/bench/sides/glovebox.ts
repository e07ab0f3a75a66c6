import { expectAnswer, type Side } from '../race.ts';
import { ADD_ONE, answerOf, NUMBER_SCHEMA, Workshop } from '../workshop.ts';

/** `host.call`, whole: lookup, validation, policy, sandbox, result, and the audit on. */
export async function openGlovebox(
  name: string,
  state: 'fresh' | 'plugin',
  options: { readonly workers?: number } = {},
): Promise<Side> {
  const workshop = await Workshop.open(
    [{ name: 'add_one', code: ADD_ONE, schema: { ...NUMBER_SCHEMA, state } }],
    { audit: true, sandbox: { workers: options.workers ?? 1 } },
  );
  const host = await workshop.host();
  return {
    name,
    async call(n) {
      expectAnswer(name, await answerOf(host, 'add_one', { n }), String(n + 1));
    },
    async [Symbol.asyncDispose]() {
      await host.close();
      await workshop[Symbol.asyncDispose]();
    },
  };
}

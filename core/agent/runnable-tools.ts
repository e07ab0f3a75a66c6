import type { RunnableToolFunctionWithoutParse } from 'openai/lib/RunnableFunction';
import { answerCall } from './answer-call.ts';
import type { AgentOptionsBase, AgentTools } from './types.ts';

export type RunnableToolsOptions = Pick<AgentOptionsBase, 'tools' | 'session' | 'signal' | 'strict'>;

/**
 * Tools for `client.chat.completions.runTools({ model, messages, tools })`. Each answers with text, whatever
 * happens: what a function throws there would end the whole run.
 *
 * With `strict` the client parses the arguments of strict tools before they come here, and ends the run itself where a
 * model's arguments were cut; `runAgent` goes on.
 */
export function runnableTools(
  host: AgentOptionsBase['host'],
  options: RunnableToolsOptions = {},
): RunnableToolFunctionWithoutParse[] {
  const tools: AgentTools | undefined = options.tools ?? host.view?.();
  if (tools === undefined)
    throw new TypeError('runnableTools needs `tools`, or a host with a `view` method.');
  const { tools: forms, mapping } = tools.export('openai', { strict: options.strict === true });
  return forms.map(({ function: form }) => ({
    type: 'function',
    function: {
      name: form.name,
      description: form.description,
      parameters: form.parameters,
      ...(form.strict === true ? { strict: true } : {}),
      async function(text: string, runner?: { readonly controller?: AbortController }): Promise<string> {
        const { signal: given, session } = options;
        const signals = [given, runner?.controller?.signal].filter((signal) => signal !== undefined);
        const call = mapping.restore(form.name, text);
        const result = await answerCall(host, tools, {
          ...call,
          signal: AbortSignal.any(signals),
          ...(session === undefined ? {} : { session }),
        });
        return result.content;
      },
    },
  }));
}

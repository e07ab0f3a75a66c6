import type { RunnableToolFunctionWithoutParse } from 'openai/lib/RunnableFunction';
import { answerCall } from './answer-call.ts';
import type { AgentOptionsBase, AgentTools } from './types.ts';

export type RunnableToolsOptions = Pick<AgentOptionsBase, 'tools' | 'session' | 'signal' | 'strict'>;

/**
 * Tools for `client.chat.completions.runTools({ model, messages, tools })`. Each answers with text, whatever
 * happens: what a function throws there would end the whole run.
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
      async function(text: string, runner: { readonly controller: AbortController }): Promise<string> {
        const { signal: given, session } = options;
        const signal =
          given === undefined ? runner.controller.signal : AbortSignal.any([given, runner.controller.signal]);
        const call = mapping.restore(form.name, text);
        const result = await answerCall(host, tools, {
          ...call,
          signal,
          ...(session === undefined ? {} : { session }),
        });
        return result.content;
      },
    },
  }));
}

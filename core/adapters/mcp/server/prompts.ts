import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import type { Connection } from './connection.ts';
import { pageOf } from './page.ts';
import { completionResult } from './resources.ts';
import type { McpService } from './service.ts';
import type { PromptSource } from './source.ts';
import { withinTrace } from './trace-context.ts';

export function installPrompts(
  server: Server,
  service: McpService,
  { session }: Connection,
  prompts: PromptSource,
): void {
  server.setRequestHandler('prompts/list', ({ params }) => {
    const list = prompts.list().filter(({ name }) => service.isServed(name));
    const { items, nextCursor } = pageOf(list, ({ name }) => name, params?.cursor);
    return {
      prompts: items.map(({ arguments: args, ...prompt }) => ({ ...prompt, arguments: [...args] })),
      ...(nextCursor === undefined ? {} : { nextCursor }),
    };
  });
  server.setRequestHandler('prompts/get', async ({ params }, ctx) => {
    if (!service.isServed(params.name)) throw unknownPrompt();
    const { signal, id, _meta } = ctx.mcpReq;
    const got = await withinTrace(_meta, () =>
      prompts.get(params.name, params.arguments ?? {}, {
        ...{ signal, id: String(id) },
        ...(session === undefined ? {} : { session }),
      }),
    );
    if (got.ok) return { description: got.description, messages: [...got.messages] };
    const { code } = got.error;
    const isCallers = code === 'unknown_prompt' || code.endsWith('_arguments');
    throw new ProtocolError(
      isCallers ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
      got.content,
    );
  });
}

/** Completion of both: arguments of prompts, variables of resource templates. */
export function installCompletion(server: Server, service: McpService, { session }: Connection): void {
  const { resources, prompts } = service.source;
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument, context } }, ctx) => {
    if (ref.type === 'ref/prompt') {
      if (prompts === undefined || !service.isServed(ref.name)) throw unknownPrompt();
      return completionResult(await prompts.complete(ref.name, argument.name, argument.value));
    }
    const listed = resources
      ?.templates()
      .find(({ uriTemplate, name }) => uriTemplate === ref.uri || name === ref.uri);
    if (resources === undefined || listed === undefined || !service.isServed(listed.name))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such resource template.');
    const { signal, id } = ctx.mcpReq;
    return completionResult(
      await resources.complete(ref.uri, argument.name, argument.value, {
        ...{ signal, id: String(id), variables: context?.arguments ?? {} },
        ...(session === undefined ? {} : { session }),
      }),
    );
  });
}

function unknownPrompt(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no prompt of this name.');
}

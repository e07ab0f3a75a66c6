import {
  type CompleteResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
} from '@modelcontextprotocol/server';
import type { OfferFailure } from '../../../resources/offer-error.ts';
import type { Connection } from './connection.ts';
import { RequestListener } from './listener.ts';
import { pageOf } from './page.ts';
import { ResourceWatch } from './resource-watch.ts';
import type { McpService } from './service.ts';
import type { ResourceSource } from './source.ts';
import { withinTrace } from './trace-context.ts';

export function installResources(
  server: Server,
  service: McpService,
  connection: Connection,
  resources: ResourceSource,
): void {
  const served = <Item extends { readonly name: string }>(items: readonly Item[]): Item[] =>
    items.filter(({ name }) => service.isServed(name));
  server.setRequestHandler('resources/list', ({ params }) => {
    const { items, nextCursor } = pageOf(byKey(served(resources.list()), uriOf), uriOf, params?.cursor);
    return { resources: items, ...(nextCursor === undefined ? {} : { nextCursor }) };
  });
  server.setRequestHandler('resources/templates/list', ({ params }) => {
    const list = byKey(served(resources.templates()), templateOf);
    const { items, nextCursor } = pageOf(list, templateOf, params?.cursor);
    return { resourceTemplates: items, ...(nextCursor === undefined ? {} : { nextCursor }) };
  });
  server.setRequestHandler('resources/read', async ({ params: { uri } }, ctx) => {
    const name = resources.nameOf(uri);
    if (name === undefined || !service.isServed(name)) throw new ResourceNotFoundError(uri);
    const { signal, id, _meta } = ctx.mcpReq;
    const listener = new RequestListener(ctx, name);
    const read = await withinTrace(_meta, () =>
      resources.read(uri, {
        ...{ signal, id: String(id), onProgress: (value) => listener.progress(value) },
        ...(connection.session === undefined ? {} : { session: connection.session }),
      }),
    );
    await listener.flushed();
    if (read.ok) return { contents: [...read.contents] };
    throw read.error.code === 'unknown_resource' || read.error.code === 'not_found'
      ? new ResourceNotFoundError(uri, read.content)
      : new ProtocolError(ProtocolErrorCode.InternalError, read.content);
  });
  installSubscriptions(server, service, resources);
}

/** For clients before 2026-07-28; newer ones name the URIs on the stream that they listen to. */
function installSubscriptions(server: Server, service: McpService, resources: ResourceSource): void {
  const watch = new ResourceWatch(service, resources, (uri) => {
    server.sendResourceUpdated({ uri }).catch(() => undefined); // the connection has ended meanwhile
  });
  const ends = new Map<string, () => void>();
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    const end = ends.get(uri) ?? watch.hold([uri]);
    if (end === undefined) {
      const message = 'There are too many subscriptions, or the URI is too long.';
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
    }
    ends.set(uri, end);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    ends.get(uri)?.();
    ends.delete(uri);
    return {};
  });
  const { onclose } = server;
  server.onclose = () => {
    watch.close();
    onclose?.();
  };
}

/** @throws ProtocolError for a template or a variable that there is not. */
export function completionResult(
  completion:
    | OfferFailure
    | {
        readonly ok: true;
        readonly values: readonly string[];
        readonly total: number;
        readonly hasMore: boolean;
      },
): CompleteResult {
  if (!completion.ok) {
    const { code } = completion.error;
    const isCallers = code.startsWith('unknown_');
    throw new ProtocolError(
      isCallers ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError,
      completion.content,
    );
  }
  const { values, total, hasMore } = completion;
  return { completion: { values: [...values], total, hasMore } };
}

const uriOf = ({ uri }: { readonly uri: string }): string => uri;
const templateOf = ({ uriTemplate }: { readonly uriTemplate: string }): string => uriTemplate;

function byKey<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  return [...items].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

import type { CallRequest, Lookup } from '../call/call.ts';
import type { CallResult } from '../call/result.ts';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { idOf, type Kind } from '../catalog/offer.ts';

/** Who reads, and how long they wait. */
export interface ReadOptions {
  /** Passed to the plugin as `ctx.session`. */
  readonly session?: string;
  /** Ends the call as `cancelled`. */
  readonly signal?: AbortSignal;
  /** Echoed in the audit. */
  readonly id?: string;
  readonly onProgress?: (value: unknown) => void;
}

/** Runs what stands behind a resource or a prompt through the pipeline of all calls. Never rejects. */
export type CallOffer = (request: CallRequest) => Promise<CallResult>;

type OfferKind = Exclude<Kind, 'tool'>;
type Part = 'read' | 'complete';

/** What the pipeline of resources and prompts is called with; never seen outside of it. */
export function callName(kind: OfferKind, name: string, part: Part = 'read'): string {
  return part === 'read' ? idOf(kind, name) : `complete:${idOf(kind, name)}`;
}

/** The other way round: what a {@link callName} stands for now. */
export function lookupCall(
  catalog: Catalog,
  called: string,
  reasonFor: (entry: CatalogEntry) => string,
): Lookup {
  const [, completes, kind, name = ''] = /^(complete:)?(resource|prompt):(.*)$/s.exec(called) ?? [];
  if (kind !== 'resource' && kind !== 'prompt') return { kind: 'unknown', visible: [] };
  const tool = catalog.lookupOffer(kind, name);
  const meant = completes === undefined || tool?.offer?.kind !== 'resource' ? tool : tool.offer.completer;
  if (meant !== undefined) return { kind: 'tool', tool: meant };
  const entry = catalog.get(name, kind);
  return entry === undefined
    ? { kind: 'unknown', visible: [] }
    : { kind: 'unavailable', reason: reasonFor(entry) };
}

/** The options of a reader as part of a request. */
export function requestOptions({ session, signal, id, onProgress }: ReadOptions): Partial<CallRequest> {
  return {
    ...(session === undefined ? {} : { session }),
    ...(signal === undefined ? {} : { signal }),
    ...(id === undefined ? {} : { id }),
    ...(onProgress === undefined ? {} : { onProgress }),
  };
}

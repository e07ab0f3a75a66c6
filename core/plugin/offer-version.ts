import type { Offer } from '../catalog/offer.ts';
import type { Tool } from '../catalog/tool.ts';
import type { SandboxProgram } from '../sandbox/sandbox.ts';
import type { JsonSchema, Manifest } from './manifest.ts';
import type { PluginVersion } from './plugin-version.ts';

/** One version of a resource or a prompt. Its manifest goes by the id (`resource:guide`). */
export interface OfferVersion extends Omit<PluginVersion, 'program'> {
  readonly offer: Offer;
  readonly body: OfferBody;
}

/** What answers when it is read: a plugin's code, or ours for a file and a prompt. */
export type OfferBody =
  | { readonly kind: 'code'; readonly program: SandboxProgram; readonly completer?: CompleterBody }
  | { readonly kind: 'own'; readonly run: Tool['run'] };

export interface CompleterBody {
  readonly program: SandboxProgram;
  readonly parameters: JsonSchema;
}

/** A version of any kind. */
export type AnyVersion = PluginVersion | OfferVersion;

export interface OfferFacts extends Partial<Pick<Manifest, 'permissions' | 'limits'>> {
  readonly id: string;
  readonly title?: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** What the pipeline, the policy and the lock know of a resource or a prompt: it reads, and nothing else. */
export function offerManifest({ id, title, permissions = {}, limits = {}, ...rest }: OfferFacts): Manifest {
  return {
    name: id,
    ...(title === undefined ? {} : { title }),
    ...rest,
    ...{ permissions, limits },
    examples: [],
    annotations: { readOnly: true, idempotent: true },
    state: 'fresh',
    tags: [],
  };
}

import type { UriTemplate } from '../resources/uri-template.ts';
import type { Tool } from './tool.ts';

/** What a plugin directory may hold; MCP's three primitives. Names are unique within a kind. */
export type Kind = 'tool' | 'resource' | 'prompt';

/** What every kind is listed with. */
interface Described {
  readonly name: string;
  /** A name for people. */
  readonly title?: string;
  readonly description: string;
}

/** Something to read, under one URI or under a template of URIs. */
export interface Resource extends Described {
  readonly kind: 'resource';
  readonly address:
    | { readonly kind: 'uri'; readonly uri: string }
    | { readonly kind: 'template'; readonly template: UriTemplate };
  readonly mimeType?: string;
  /** Bytes, where they are known: of a file. */
  readonly size?: number;
  /** Values of the template's variables, for completion. */
  readonly values: ReadonlyMap<string, readonly string[]>;
  /** The plugin's own completion, behind the wall. */
  readonly completer?: Tool;
}

export interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required: boolean;
  /** For completion; other values are taken too. */
  readonly values: readonly string[];
}

/** A text for a model with places for arguments. */
export interface Prompt extends Described {
  readonly kind: 'prompt';
  readonly arguments: readonly PromptArgument[];
}

/** What a plugin offers besides tools. */
export type Offer = Resource | Prompt;

/**
 * The one name of a plugin among all kinds: what its consent, grants, storage and records go by. A tool's is its name;
 * `resource:guide` and `prompt:review` can't be taken for tools.
 */
export function idOf(kind: Kind, name: string): string {
  return kind === 'tool' ? name : `${kind}:${name}`;
}

export function nameOf(kind: Kind, id: string): string {
  const prefix = idOf(kind, '');
  return id.startsWith(prefix) ? id.slice(prefix.length) : id;
}

export function kindOf(tool: Tool): Kind {
  return tool.offer?.kind ?? 'tool';
}

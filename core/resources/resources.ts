import type { Catalog } from '../catalog/catalog.ts';
import type { Locale } from '../config/index.ts';
import { warn } from '../guarded.ts';
import { Addresses, addressOf, type ServingResource } from './addresses.ts';
import { type Completion, completionOf, matchValues } from './completion.ts';
import type { ResourceContents } from './contents.ts';
import { type CallOffer, callName, type ReadOptions, requestOptions } from './offer-calls.ts';
import { failureOf, type OfferFailure, unknown } from './offer-error.ts';
import { variablesOf } from './read-resource.ts';

/** A resource with one URI, as MCP's `resources/list` has it. */
export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly mimeType?: string;
  /** Bytes, where they are known. */
  readonly size?: number;
}

/** Resources under a template, as MCP's `resources/templates/list` has them. */
export interface ListedTemplate extends Omit<ListedResource, 'uri' | 'size'> {
  /** RFC 6570. */
  readonly uriTemplate: string;
}

export type ReadResult =
  | {
      readonly ok: true;
      readonly contents: readonly ResourceContents[];
      /** Which resource answered, in which version. */
      readonly resource: { readonly name: string; readonly version: string };
    }
  | OfferFailure;

export interface CompletionOptions extends ReadOptions {
  /** Variables (or arguments) that are settled already. */
  readonly variables?: Readonly<Record<string, string>>;
}

export interface ResourcesOptions {
  readonly catalog: Catalog;
  readonly call: CallOffer;
  readonly locale: Locale;
  /** Resolves once the plugins have been read. */
  readonly loaded: () => Promise<void>;
  readonly onProblem: (message: string) => void;
}

interface Subscription {
  readonly listeners: Set<(uri: string) => void>;
  /** What answered under the URI when it was last looked at. */
  stamp: string;
}

/**
 * The resources of a host: `host.resources`. Lists are those of this moment and follow the plugin directories;
 * `host.catalog.on('change', (kinds) => ...)` tells when one has changed (`kinds.has('resource')`).
 */
export class Resources {
  readonly #options: ResourcesOptions;
  readonly #addresses = new Addresses();
  readonly #subscriptions = new Map<string, Subscription>();
  #told: readonly string[] = [];

  constructor(options: ResourcesOptions) {
    this.#options = options;
    options.catalog.on('change', (kinds) => {
      if (kinds.has('resource')) this.#follow();
    });
  }

  /** The resources with one URI, ordered by name. */
  list(): readonly ListedResource[] {
    return this.#addresses.list().flatMap(({ resource }) => {
      const { address, size } = resource;
      if (address.kind !== 'uri') return [];
      return [{ uri: address.uri, ...described({ resource }), ...(size === undefined ? {} : { size }) }];
    });
  }

  /** The templates, ordered by name. */
  templates(): readonly ListedTemplate[] {
    return this.#addresses.list().flatMap(({ resource }) => {
      const { address } = resource;
      return address.kind === 'template'
        ? [{ uriTemplate: address.template.text, ...described({ resource }) }]
        : [];
    });
  }

  /** The name of the resource that answers under this URI, or undefined where none does. */
  nameOf(uri: string): string | undefined {
    return this.#addresses.find(uri)?.resource.name;
  }

  /** Is there a resource under this URI, or a template that it fits? */
  has(uri: string): boolean {
    return this.#addresses.find(uri) !== undefined;
  }

  /**
   * Reads a resource. Never throws and never rejects. An implementation runs behind the wall, like a tool's: same
   * limits, permissions, redaction and audit (as `resource:NAME`); nobody is asked, for reading needs no approval.
   * A URI that nothing serves is `unknown_resource`; one that the implementation knows nothing of is `not_found`.
   */
  async read(uri: string, options: ReadOptions = {}): Promise<ReadResult> {
    const { call, loaded, locale } = this.#options;
    await loaded();
    const found = typeof uri === 'string' ? this.#addresses.find(uri) : undefined;
    if (found === undefined) return unknown(locale, 'unknown_resource', uri, this.#addressTexts());
    const { resource, tool, variables } = found;
    const result = await call({
      name: callName('resource', resource.name),
      arguments: { ...variables, uri },
      ...requestOptions(options),
    });
    if (!result.ok) return failureOf(result);
    // What stands behind every resource answers in this form: `answerWith`.
    const { contents } = result.value as { readonly contents: readonly ResourceContents[] };
    return {
      ok: true,
      contents,
      resource: { name: resource.name, version: result.tool.version ?? tool.version },
    };
  }

  /**
   * Values for a variable of a template, which is named by its text or by its resource's name: from the list in
   * resource.json, else from the implementation's `complete`. Without either there are none.
   */
  async complete(
    template: string,
    variable: string,
    value: string,
    { variables = {}, ...options }: CompletionOptions = {},
  ): Promise<Completion | OfferFailure> {
    const { call, loaded, locale } = this.#options;
    await loaded();
    const found = this.#addresses.findTemplate(template);
    if (found === undefined) return unknown(locale, 'unknown_resource', template, this.#addressTexts());
    const { resource } = found;
    const names = variablesOf(resource.address).map(({ name }) => name);
    if (!names.includes(variable)) return unknown(locale, 'unknown_argument', variable, names);
    const values = resource.values.get(variable);
    if (values !== undefined) return matchValues(values, value);
    if (resource.completer === undefined) return completionOf([]);
    const result = await call({
      name: callName('resource', resource.name, 'complete'),
      arguments: { variable, value, variables },
      ...requestOptions(options),
    });
    // Held against the completer's `returns`.
    return result.ok ? completionOf(result.value as readonly string[]) : failureOf(result);
  }

  /**
   * Tells whenever what is behind a URI may have changed: a file of its plugin's directory, its code, its coming or
   * going. The URI need not serve yet.
   *
   * @returns a function that ends it.
   */
  subscribe(uri: string, listener: (uri: string) => void): () => void {
    const known = this.#subscriptions.get(uri);
    const subscription = known ?? { listeners: new Set(), stamp: this.#stampOf(uri) };
    // One function may be given twice: each has an end of its own.
    const own = (changed: string): void => listener(changed);
    subscription.listeners.add(own);
    this.#subscriptions.set(uri, subscription);
    return () => {
      subscription.listeners.delete(own);
      if (subscription.listeners.size === 0 && this.#subscriptions.get(uri) === subscription)
        this.#subscriptions.delete(uri);
    };
  }

  #follow(): void {
    this.#addresses.settle(this.#options.catalog.offers('resource'));
    const clashes = this.#addresses.clashes();
    for (const clash of clashes) if (!this.#told.includes(clash)) this.#options.onProblem(clash);
    this.#told = clashes;
    for (const [uri, subscription] of [...this.#subscriptions]) {
      const stamp = this.#stampOf(uri);
      if (stamp === subscription.stamp) continue;
      subscription.stamp = stamp;
      for (const listener of [...subscription.listeners]) tell(listener, uri);
    }
  }

  #stampOf(uri: string): string {
    const found = this.#addresses.find(uri);
    return found === undefined ? '' : JSON.stringify([found.resource.name, found.tool.version]);
  }

  #addressTexts(): string[] {
    return this.#addresses.list().map(({ resource }) => addressOf(resource));
  }
}

function described({ resource }: Pick<ServingResource, 'resource'>) {
  const { name, title, description, mimeType } = resource;
  return {
    ...{ name, description },
    ...(title === undefined ? {} : { title }),
    ...(mimeType === undefined ? {} : { mimeType }),
  };
}

/** A listener that fails is its owner's trouble: the others still hear. */
function tell(listener: (uri: string) => void, uri: string): void {
  try {
    listener(uri);
  } catch (error) {
    warn(error);
  }
}

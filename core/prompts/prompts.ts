import type { Catalog } from '../catalog/catalog.ts';
import type { Prompt } from '../catalog/offer.ts';
import type { Locale } from '../config/index.ts';
import { type Completion, matchValues } from '../resources/completion.ts';
import { type CallOffer, callName, type ReadOptions, requestOptions } from '../resources/offer-calls.ts';
import { failureOf, type OfferFailure, unknown } from '../resources/offer-error.ts';
import type { PromptMessage } from './template.ts';

/** A prompt, as MCP's `prompts/list` has it. */
export interface ListedPrompt {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly arguments: readonly ListedPromptArgument[];
}

export interface ListedPromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required: boolean;
}

export type PromptResult =
  | {
      readonly ok: true;
      readonly description: string;
      readonly messages: readonly PromptMessage[];
      readonly prompt: { readonly name: string; readonly version: string };
    }
  | OfferFailure;

export interface PromptsOptions {
  readonly catalog: Catalog;
  readonly call: CallOffer;
  readonly locale: Locale;
  /** Resolves once the plugins have been read. */
  readonly loaded: () => Promise<void>;
}

/**
 * The prompts of a host: `host.prompts`. The list is that of this moment and follows the plugin directories;
 * `host.catalog.on('change', (kinds) => ...)` tells when it has changed (`kinds.has('prompt')`).
 */
export class Prompts {
  readonly #options: PromptsOptions;

  constructor(options: PromptsOptions) {
    this.#options = options;
  }

  /** Ordered by name. */
  list(): readonly ListedPrompt[] {
    return this.#serving().map(({ name, title, description, arguments: args }) => ({
      name,
      ...(title === undefined ? {} : { title }),
      description,
      arguments: args.map(({ values: _, ...listed }) => listed),
    }));
  }

  /**
   * Writes a prompt's messages with the arguments in their places; each value stands as it is, and no place in it is
   * filled again. Never throws and never rejects: a missing argument is `invalid_arguments`, with what is missing.
   */
  async get(
    name: string,
    args: Readonly<Record<string, unknown>> = {},
    options: ReadOptions = {},
  ): Promise<PromptResult> {
    const { call, catalog, loaded, locale } = this.#options;
    await loaded();
    const tool = typeof name === 'string' ? catalog.lookupOffer('prompt', name) : undefined;
    if (tool === undefined && catalog.get(String(name), 'prompt') === undefined)
      return unknown(locale, 'unknown_prompt', name, this.#names());
    const result = await call({
      name: callName('prompt', name),
      arguments: args,
      ...requestOptions(options),
    });
    if (!result.ok) return failureOf(result);
    // What stands behind every prompt answers in this form: `loadPrompt`.
    const { messages } = result.value as { readonly messages: readonly PromptMessage[] };
    const { description } = catalog.lookupOffer('prompt', name)?.offer ?? tool?.offer ?? { description: '' };
    return { ok: true, description, messages, prompt: { name, version: result.tool.version ?? '' } };
  }

  /** Values for an argument, from the list in prompt.md; without one there are none. */
  async complete(name: string, argument: string, value: string): Promise<Completion | OfferFailure> {
    const { loaded, locale } = this.#options;
    await loaded();
    const prompt = this.#serving().find((each) => each.name === name);
    if (prompt === undefined) return unknown(locale, 'unknown_prompt', name, this.#names());
    const found = prompt.arguments.find((each) => each.name === argument);
    if (found !== undefined) return matchValues(found.values, value);
    const known = prompt.arguments.map((each) => each.name);
    return unknown(locale, 'unknown_argument', argument, known);
  }

  #serving(): Prompt[] {
    return this.#options.catalog
      .offers('prompt')
      .flatMap(({ tool: { offer } }) => (offer?.kind === 'prompt' ? [offer] : []));
  }

  #names(): string[] {
    return this.#serving().map(({ name }) => name);
  }
}

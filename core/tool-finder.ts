import path from 'node:path';
import type { CallRequest, CallView, Lookup } from './call/call.ts';
import type { Catalog, CatalogEntry } from './catalog/catalog.ts';
import type { View } from './catalog/view.ts';

export interface ToolFinderOptions {
  readonly catalog: Catalog;
  /** Of every tool. */
  readonly everything: View;
  /** Why a tool of this name is not there, if the server that would have it is the reason. */
  readonly troubleOf: (name: string) => string | undefined;
  readonly baseDir: string;
}

const EXPORTS_WITH_NAMES = ['openai', 'gemini'] as const;

/** Finds what a call names, and says why it can't be called. */
export class ToolFinder {
  readonly #options: ToolFinderOptions;

  constructor(options: ToolFinderOptions) {
    this.#options = options;
  }

  lookup(name: string, given?: CallView): Lookup {
    const { catalog, everything, troubleOf } = this.#options;
    const view = given ?? everything;
    const tool = catalog.lookup(name);
    // What can't be called now is in no view; it is named to those who may see everything.
    const isSeen = view === everything || (tool !== undefined && view.has(name));
    if (tool !== undefined && isSeen) return { kind: 'tool', tool };
    const entry = catalog.get(name);
    const trouble = entry === undefined && isSeen ? troubleOf(name) : undefined;
    if (trouble !== undefined) return { kind: 'unavailable', reason: trouble };
    if (!isSeen || entry === undefined) return { kind: 'unknown', visible: view.names() };
    return { kind: 'unavailable', reason: this.reasonFor(entry) };
  }

  /** For a model: places as it would write them, nothing of this machine. */
  reasonFor({ state, problems: [problem] }: CatalogEntry): string {
    if (state === 'held') return 'it is held back until the operator consents to it';
    if (problem === undefined) return 'it could not be loaded';
    const { file, line, message } = problem;
    const place = file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`} `;
    const plain = message
      .replaceAll(`${this.#options.baseDir}${path.sep}`, '')
      .replace(/^(\/[^\s:]+):/, (_all, pointer: string) => `${pointer.slice(1).replaceAll('/', '.')}:`);
    return `${place}${plain}`;
  }

  /** A name that an export made legal, and the arguments that went with it, as the tool's own. */
  underOwnName(request: CallRequest): CallRequest {
    const { catalog, everything } = this.#options;
    const { name } = request;
    // The look-up first: it serves nearly every call and makes nothing.
    if (catalog.lookup(name) !== undefined || catalog.get(name) !== undefined) return request;
    for (const target of EXPORTS_WITH_NAMES) {
      const { mapping } = everything.export(target);
      const own = mapping.toolName(name);
      if (own !== undefined)
        return restored({ ...request, name: own }, () => mapping.restore(name, request.arguments));
    }
    return request;
  }
}

/** Arguments that can't be read, as those that hold themselves, are refused by the call as they are. */
function restored(request: CallRequest, restore: () => Pick<CallRequest, 'name' | 'arguments'>): CallRequest {
  try {
    return { ...request, ...restore() };
  } catch {
    return request;
  }
}

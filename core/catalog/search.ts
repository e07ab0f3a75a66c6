import MiniSearch from 'minisearch';
import { stemmer } from 'stemmer';
import { DEFAULT_LIMITS, type Limits } from '../config/limits.ts';
import type { Manifest } from '../plugin/manifest.ts';
import { NO_USAGE } from '../sandbox/no-usage.ts';
import type { Tool, ToolRun } from './tool.ts';
import type { ToolSource } from './view.ts';

export const SEARCH_TOOL_NAME = 'search_tools';

const DEFAULT_RESULTS = 5;
const MAX_RESULTS = 20;
const MAX_SUMMARY_CHARS = 300;

export interface SearchOptions {
  /** @defaultValue 5, at most 20 */
  readonly limit?: number;
}

export interface FoundTool {
  readonly tool: Tool;
  readonly score: number;
}

interface Entry {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly tags: string;
  readonly parameters: string;
}

/** Full-text search over a list of tools. The index follows the list: only what changed is indexed again. */
export class ToolSearch {
  readonly #source: ToolSource;
  readonly #index = new MiniSearch<Entry>({
    fields: ['name', 'title', 'description', 'tags', 'parameters'],
    tokenize: words,
    processTerm: (term) => stemmer(term),
    searchOptions: {
      boost: { name: 4, title: 3, tags: 2, description: 1.5 },
      prefix: (term) => term.length > 2,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    },
  });
  readonly #indexed = new Map<string, Tool>();

  constructor(source: ToolSource) {
    this.#source = source;
  }

  search(query: string, options: SearchOptions = {}): FoundTool[] {
    this.#follow();
    const limit = Math.min(Math.max(1, Math.trunc(options.limit ?? DEFAULT_RESULTS)), MAX_RESULTS);
    const found: FoundTool[] = [];
    for (const { id, score } of this.#index.search(query)) {
      const tool = this.#indexed.get(id);
      if (tool !== undefined) found.push({ tool, score });
      if (found.length === limit) break;
    }
    return found;
  }

  #follow(): void {
    const current = new Map(this.#source.list().map((tool) => [tool.manifest.name, tool]));
    for (const [name, tool] of this.#indexed) {
      if (current.get(name) === tool) continue;
      this.#index.discard(name);
      this.#indexed.delete(name);
    }
    for (const [name, tool] of current) {
      if (this.#indexed.has(name)) continue;
      this.#index.add(entryOf(tool.manifest));
      this.#indexed.set(name, tool);
    }
  }
}

function entryOf(manifest: Manifest): Entry {
  return {
    id: manifest.name,
    name: manifest.name,
    title: manifest.title ?? '',
    description: manifest.description,
    tags: manifest.tags.join(' '),
    parameters: parameterNames(manifest).join(' '),
  };
}

function parameterNames(manifest: Manifest): string[] {
  const { properties } = manifest.parameters;
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}

const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** `createIssue` and `create_issue` are two words; text without spaces is cut where its words are. */
function words(text: string): string[] {
  const split = text.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').split(/[^\p{L}\p{N}]+/u);
  return split
    .filter((word) => word !== '')
    .flatMap((word) => (UNSPACED.test(word) ? unspacedWords(word) : [word]));
}

function unspacedWords(text: string): string[] {
  const segments = [...segmenter.segment(text)]
    .filter((segment) => segment.isWordLike)
    .map((segment) => segment.segment);
  return segments.length > 0 ? segments : [text];
}

/** What `search_tools` answers for each tool found. */
export interface FoundToolSummary {
  readonly name: string;
  readonly description: string;
  /** Names only: the schema comes with the tool itself. */
  readonly arguments: readonly string[];
}

const SEARCH_MANIFEST: Manifest = {
  name: SEARCH_TOOL_NAME,
  title: 'Search tools',
  description:
    'Finds tools that are not in your list yet, by what they do. Use it when none of your tools fits the task; ' +
    'the tools that it finds can be called in your next step. Do not use it for tools that you already have. ' +
    'Example: {"query": "create a calendar event"}.',
  parameters: {
    type: 'object',
    properties: {
      query: { type: 'string', minLength: 1, description: 'What the tool should do, in a few words.' },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_RESULTS,
        default: DEFAULT_RESULTS,
        description: 'Most tools to find.',
      },
    },
    required: ['query'],
    additionalProperties: false,
  },
  examples: [{ arguments: { query: 'create a calendar event' } }],
  annotations: { readOnly: true, idempotent: true, openWorld: false },
  permissions: {},
  limits: {},
  state: 'fresh',
  approval: 'never',
  tags: [],
};

export interface SearchToolOptions {
  /** Every tool; a caller with a view finds only what that shows. */
  readonly all: ToolSource;
  /** @defaultValue {@link DEFAULT_LIMITS} */
  readonly limits?: Limits;
}

/** The built-in `search_tools`. One index is kept for each view that searches. */
export function createSearchTool(options: SearchToolOptions): Tool {
  const searches = new WeakMap<ToolSource, ToolSearch>();
  const searchFor = (source: ToolSource): ToolSearch => {
    const search = searches.get(source) ?? new ToolSearch(source);
    searches.set(source, search);
    return search;
  };
  return {
    manifest: SEARCH_MANIFEST,
    version: 'builtin-1',
    origin: 'builtin',
    limits: options.limits ?? DEFAULT_LIMITS,
    async run({ argumentsJson, view }: ToolRun) {
      const usage = NO_USAGE;
      // cast: the call pipeline has validated the arguments against SEARCH_MANIFEST
      const { query, limit } = JSON.parse(argumentsJson) as { query: string; limit?: number };
      const found = searchFor(view ?? options.all)
        .search(query, limit === undefined ? {} : { limit })
        .filter(({ tool }) => tool.manifest.name !== SEARCH_TOOL_NAME);
      const summaries = found.map(({ tool }) => summaryOf(tool.manifest));
      return { kind: 'value', json: JSON.stringify(summaries), usage };
    },
  };
}

function summaryOf(manifest: Manifest): FoundToolSummary {
  const { name, description } = manifest;
  const text =
    description.length <= MAX_SUMMARY_CHARS ? description : `${description.slice(0, MAX_SUMMARY_CHARS)}...`;
  return { name, description: text, arguments: parameterNames(manifest) };
}

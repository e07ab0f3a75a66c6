import type { Tool, ToolRun } from '../../catalog/tool.ts';
import { DEFAULT_LIMITS, type Limits } from '../../config/limits.ts';
import { NO_USAGE } from '../../sandbox/no-usage.ts';
import type { RunOutcome } from '../../sandbox/sandbox.ts';
import type { Catalogue } from '../messages/catalogue.ts';
import { boundaryBefore, fits, type TextLimit } from './cut-text.ts';
import type { TextStore } from './text-store.ts';

export const READ_MORE = 'read_more';

export interface ReadMoreOptions {
  readonly store: TextStore;
  readonly catalogue: Catalogue;
  /** @defaultValue {@link DEFAULT_LIMITS} */
  readonly limits?: Limits;
  /** Tokens of one page, where results are limited in tokens too. */
  readonly tokens?: TextLimit['tokens'] | undefined;
}

/** The built-in tool behind "read on with read_more": pages through a result that was too long to be shown whole. */
export function createReadMoreTool({
  store,
  catalogue,
  limits = DEFAULT_LIMITS,
  tokens,
}: ReadMoreOptions): Tool {
  const limit: TextLimit = { chars: limits.resultChars, ...(tokens === undefined ? {} : { tokens }) };
  return {
    manifest: MANIFEST,
    version: 'builtin',
    origin: 'builtin',
    limits,
    run: async (run) => answer(readPage(run, store, catalogue, limit)),
  };
}

const MANIFEST: Tool['manifest'] = {
  name: READ_MORE,
  title: 'Read more of a long result',
  description:
    'Reads on in a tool result that was cut because it is long. Use it only with a handle that such a result names; each page says the offset of the next. Example: {"handle": "rm_...", "offset": 3000}.',
  parameters: {
    type: 'object',
    properties: {
      handle: { type: 'string', description: 'The handle that the cut result names.' },
      offset: { type: 'integer', minimum: 0, default: 0, description: 'The character to read on from.' },
    },
    required: ['handle'],
    additionalProperties: false,
  },
  examples: [],
  annotations: { readOnly: true, idempotent: true, openWorld: false },
  permissions: {},
  limits: {},
  state: 'fresh',
  approval: 'never',
  tags: [],
};

type PageAnswer = { readonly text: string } | { readonly missing: string } | { readonly wrong: string };

function readPage(run: ToolRun, store: TextStore, catalogue: Catalogue, limit: TextLimit): PageAnswer {
  // Validated by the executor against the schema above.
  const { handle, offset = 0 } = JSON.parse(run.argumentsJson) as { handle: string; offset?: number };
  const text = store.get(handle, run.session);
  if (text === undefined) return { missing: catalogue.noSuchText };
  if (offset >= text.length) return { wrong: catalogue.noSuchOffset(text.length) };
  let room = limit.chars;
  for (;;) {
    const page = writePage(text, handle, offset, room, catalogue);
    if (fits(page, limit) || room <= 1) return { text: page };
    const excess = page.length - limit.chars;
    room = Math.max(1, excess > 0 ? room - excess : Math.floor(room * 0.8));
  }
}

function writePage(text: string, handle: string, from: number, room: number, catalogue: Catalogue): string {
  // At least one character a page, or a reader would never get to the end.
  const to = Math.max(boundaryBefore(text, from + room, from), Math.min(text.length, from + 2));
  const facts = { from, to, total: text.length, handle };
  const footer = to < text.length ? catalogue.page(facts) : catalogue.lastPage(facts);
  return `${text.slice(from, to)}\n${footer}`;
}

function answer(page: PageAnswer): RunOutcome {
  const usage = NO_USAGE;
  if ('text' in page) return { kind: 'value', json: JSON.stringify(page.text), usage };
  if ('missing' in page)
    return { kind: 'thrown', error: { name: 'Error', code: 'NOT_FOUND', message: page.missing }, usage };
  return { kind: 'thrown', error: { name: 'Error', code: 'INVALID_ARGUMENT', message: page.wrong }, usage };
}

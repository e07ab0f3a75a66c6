import type { CallRequest } from '../../../call/call.ts';
import type { CallResult } from '../../../call/result.ts';
import type { Catalog } from '../../../catalog/catalog.ts';
import type { Selection, View } from '../../../catalog/view.ts';
import type { Locale } from '../../../config/index.ts';
import type { Prompts } from '../../../prompts/prompts.ts';
import type { Resources } from '../../../resources/resources.ts';

/** What an MCP server serves: a host, or as much of one as there is. */
export interface McpSource {
  readonly catalog: Pick<Catalog, 'on' | 'off'>;
  readonly locale: Locale;
  /** Never rejects. */
  call(request: CallRequest): Promise<CallResult>;
  view(selection?: Selection): View;
  readonly resources?: Pick<Resources, 'list' | 'templates' | 'read' | 'complete' | 'subscribe' | 'nameOf'>;
  readonly prompts?: Pick<Prompts, 'list' | 'get' | 'complete'>;
}

export type ResourceSource = NonNullable<McpSource['resources']>;
export type PromptSource = NonNullable<McpSource['prompts']>;

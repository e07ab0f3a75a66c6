import { createHash } from 'node:crypto';
import type { ServerTrust } from '../../../config/mcp-servers.ts';
import type { Lock, LockSubject } from '../../../permissions/index.ts';
import type { ServerTool } from './read-tools.ts';

export type ToolAdmission =
  | { readonly admitted: true }
  | {
      readonly admitted: false;
      /** For the operator, several lines. */
      readonly text: string;
      /** Nobody consents to it: a version of it that serves ends too. */
      readonly withdrawn: boolean;
    };

/**
 * May these tools serve? Under `first_use` the first list of a server is consented to by its being put into the config;
 * an entry of the server itself remembers that it was seen, so that new names are no first list.
 */
export async function admitTools(
  lock: Lock,
  server: string,
  trust: ServerTrust,
  tools: readonly ServerTool[],
): Promise<ReadonlyMap<ServerTool, ToolAdmission>> {
  if (trust === 'declared') return new Map(tools.map((tool) => [tool, { admitted: true }]));
  const refused = trust === 'first_use' ? await acceptFirst(lock, server, tools) : undefined;
  const admissions = new Map<ServerTool, ToolAdmission>();
  const answers = await lock.admitAll(tools.map(({ subject }) => subject));
  for (const [index, tool] of tools.entries()) {
    const admission = answers[index];
    if (admission === undefined) continue;
    admissions.set(
      tool,
      admission.kind === 'admitted'
        ? { admitted: true }
        : {
            admitted: false,
            text: refused ?? admission.text,
            withdrawn: admission.reason !== 'changed',
          },
    );
  }
  return admissions;
}

async function acceptFirst(
  lock: Lock,
  server: string,
  tools: readonly ServerTool[],
): Promise<string | undefined> {
  // A server that lists nothing yet has not shown itself.
  if (tools.length === 0) return undefined;
  const marker = serverSubject(server);
  const seen = await lock.admit(marker);
  if (seen.kind === 'admitted' || seen.reason !== 'unknown') return undefined;
  const accepted = await lock.acceptAll([marker, ...tools.map(({ subject }) => subject)]);
  return accepted.ok ? undefined : accepted.message;
}

/** The entry of registry.lock.json that says that a server was seen; its name is no tool's. */
export function serverSubject(server: string): LockSubject {
  const nothing = createHash('sha256').update('mcp server').digest('hex');
  return {
    manifest: {
      name: serverEntryName(server),
      description: 'A server of mcpServers; its tools have entries of their own.',
      parameters: { type: 'object' },
      examples: [],
      annotations: {},
      permissions: {},
      limits: {},
      state: 'fresh',
      tags: [],
    },
    digests: { code: nothing, schema: nothing },
  };
}

export function serverEntryName(server: string): string {
  return `${server}.*`;
}

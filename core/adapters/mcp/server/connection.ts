import { CLIENT_CAPABILITIES_META_KEY, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { isRecord } from '../../../schema/pointer.ts';

/** One server instance: one client's connection, or one request of revision 2026-07-28 over HTTP. */
export interface Connection {
  readonly era: 'legacy' | 'modern';
  /** What the calls of this client share; absent where requests stand alone. Never the secret id of an HTTP session. */
  readonly session?: string;
}

/** Can the client put a question to a person? */
export function isAskable({ era }: Connection, server: Server, ctx: ServerContext): boolean {
  const envelope: unknown = ctx.mcpReq.envelope;
  const capabilities: unknown =
    era === 'modern'
      ? isRecord(envelope) && envelope[CLIENT_CAPABILITIES_META_KEY]
      : server.getClientCapabilities();
  const elicitation = isRecord(capabilities) ? capabilities.elicitation : undefined;
  if (!isRecord(elicitation)) return false;
  // Before there were modes, `{}` said that forms are shown.
  return elicitation.form !== undefined || Object.keys(elicitation).length === 0;
}

import { type Config, lockPathOf } from '../../../config/index.ts';
import type { LockSubject } from '../../../permissions/index.ts';
import type { LoadProblem } from '../../../plugin/problem.ts';
import { serverEntryName } from './consent.ts';
import { McpServers } from './mcp-servers.ts';

export type ServerSubjects =
  /** No server of the config bears or begins this name. */
  | { readonly kind: 'no_server' }
  /** The server could not be reached, or it lists no such tool. */
  | { readonly kind: 'failed'; readonly message: string }
  | {
      readonly kind: 'found';
      readonly subjects: readonly LockSubject[];
      /** Absolute path of registry.lock.json, for `openLock`. */
      readonly lockPath: string;
    };

/**
 * What `glovebox grant NAME` is about when NAME is a server of `mcpServers` or one of its tools (`server.tool`): starts
 * that server alone, reads what it lists now and ends it. The caller shows the subjects and hands them to
 * `lock.acceptAll`.
 */
export async function readServerSubjects(config: Config, name: string): Promise<ServerSubjects> {
  // Names may have dots: of `github` and `github.enterprise` the longer one is meant where both fit.
  const [server] = config.mcpServers
    .filter((each) => each.name === name || name.startsWith(`${each.name}.`))
    .sort((one, other) => other.name.length - one.name.length);
  if (server === undefined) return { kind: 'no_server' };
  const problems: LoadProblem[] = [];
  // `granted`: looking must not consent.
  const mcpServers = [{ ...server, trust: 'granted' as const }];
  const servers = new McpServers({
    config: { ...config, mcpServers },
    apply: () => undefined,
    onProblem: (problem) => problems.push(problem),
  });
  try {
    await servers.settled();
    const subjects = servers.subjects(name);
    const [problem] = problems;
    // The server itself can be consented to before it lists anything; not because it could not be asked.
    const hasTools = subjects.some(
      ({ manifest }) =>
        manifest.name.startsWith(`${server.name}.`) && manifest.name !== serverEntryName(server.name),
    );
    if (hasTools || (subjects.length > 0 && problem === undefined))
      return { kind: 'found', subjects, lockPath: lockPathOf(config) };
    return {
      kind: 'failed',
      message: problem?.message ?? `the server "${server.name}" lists no tool ${name}`,
    };
  } finally {
    await servers.close();
  }
}

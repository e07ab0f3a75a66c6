/** The client under test of the conformance suite: our host, with the suite's server in its config. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { minimalExample } from '../../../../core/call/minimal-example.ts';
import { createHost } from '../../../../core/host.ts';

interface Scenario {
  /** Calls that the scenario asks for. */
  readonly toolCalls?: readonly {
    readonly name: string;
    readonly arguments: Readonly<Record<string, unknown>>;
  }[];
}

const url = process.argv.at(-1) ?? '';
const scenario: Scenario = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const home = await mkdtemp(path.join(os.tmpdir(), 'glovebox-conformance-'));
process.chdir(home);
const host = await createHost({
  config: {
    plugins: [],
    limits: { timeoutMs: 20_000 },
    approval: { default: 'never' },
    mcpServers: { server: { type: 'http', url, trust: 'declared', timeoutMs: 20_000 } },
  },
  onProblem: ({ message }) => process.stderr.write(`${message}\n`),
});
await host.ready;
for (const { name, state, problems } of host.catalog.list())
  process.stderr.write(`${name} ${state} ${JSON.stringify(problems)}\n`);
const calls =
  scenario.toolCalls?.map((call) => ({ ...call, name: `server.${call.name}` })) ??
  host
    .view({ allow: ['server.*'] })
    .list()
    .map(({ manifest }) => ({
      name: manifest.name,
      arguments: JSON.parse(minimalExample(manifest, () => true) ?? '{}'),
    }));
const focal = host.catalog.lookup('server.json_schema_2020_12_tool');
for (const planned of calls) {
  // This one wants to hear what we know of the other tool's schema.
  const isEcho = planned.name === 'server.json_schema_echo' && focal !== undefined;
  const call = isEcho ? { ...planned, arguments: { schema: focal.manifest.parameters } } : planned;
  const result = await host.call(call);
  process.stderr.write(`${call.name} ${JSON.stringify(call.arguments)} -> ${result.content.slice(0, 300)}\n`);
}
await host.close();
await rm(home, { recursive: true, force: true });

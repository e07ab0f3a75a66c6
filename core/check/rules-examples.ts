import { cp, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Config, configPathOf, dataPathOf, lockPathOf } from '../config/index.ts';
import {
  type Connections,
  createRedactor,
  createStorage,
  environmentSecrets,
  resolvePolicy,
  type SecretSource,
  secretValues,
} from '../permissions/index.ts';
import type { PluginVersion } from '../plugin/load-plugin.ts';
import type { Example, PermissionRequest } from '../plugin/manifest.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { Bench, type BenchCall, type BenchWorld } from '../testing/bench.ts';
import { answeringConnections } from '../testing/net-answers.ts';
import { MissingFixture, recordingConnections, replay } from '../testing/net-fixtures.ts';
import type { Finding } from './finding.ts';
import { findingAt, type Subject } from './subject.ts';

export interface ExampleOptions {
  readonly sandbox: Sandbox;
  readonly config: Config;
  /** Ask the real servers, and write what they answer below the plugin's `fixtures`. */
  readonly record: boolean;
}

/**
 * Runs the examples in the sandbox. The network is what was recorded, and a plugin that writes gets a temporary
 * directory: a check changes nothing in the world. What can't be had so is told, not counted as a failure.
 */
export async function checkExamples(subject: Subject, options: ExampleOptions): Promise<Finding[]> {
  const { plugin, manifest } = subject;
  if (plugin === undefined || manifest === undefined || manifest.examples.length === 0) return [];
  const findings: Finding[] = [];
  const scratch = await realpath(await mkdtemp(path.join(tmpdir(), 'glovebox-check-')));
  const storage = createStorage({ dir: path.join(scratch, 'storage') });
  const missing: string[] = [];
  try {
    const world = await makeWorld(subject, plugin, scratch, options, missing);
    const bench = new Bench({
      ...{ sandbox: options.sandbox, plugin, grant: grantOf(subject), limits: options.config },
      world: { ...world, storage },
    });
    for (const [index, example] of manifest.examples.entries()) {
      missing.length = 0;
      const call = await bench.call(example.arguments);
      findings.push(...judge(subject, index, example, call, missing));
    }
    await world.connections.close();
  } catch (error) {
    findings.push(
      findingAt(subject, '/examples', {
        ...{ rule: 'examples', level: 'error' },
        message: `the examples could not be run: ${error instanceof Error ? error.message : 'unknown reason'}`,
        fix: 'put that right',
      }),
    );
  } finally {
    storage.close();
    await rm(scratch, { recursive: true, force: true });
  }
  return findings;
}

function grantOf({ source, name }: Subject): PermissionRequest | 'as_requested' {
  if (source.trust === 'declared') return 'as_requested';
  return Object.hasOwn(source.grants, name) ? (source.grants[name] ?? {}) : {};
}

async function makeWorld(
  subject: Subject,
  plugin: PluginVersion,
  scratch: string,
  { config, record }: ExampleOptions,
  missing: string[],
): Promise<Omit<BenchWorld, 'storage'>> {
  const writes = (plugin.manifest.permissions.write ?? []).length > 0;
  const baseDir = writes ? path.join(scratch, 'files') : config.baseDir;
  if (writes) {
    await mkdir(baseDir);
    await cp(path.join(subject.dir, 'fixtures', 'files'), baseDir, { recursive: true }).catch(
      () => undefined,
    );
  }
  const secrets: SecretSource = record ? environmentSecrets : (name) => `fake-${name}`;
  return {
    baseDir,
    protectedPaths: {
      closed: [configPathOf(config), lockPathOf(config), dataPathOf(config)],
      readOnly: config.plugins.map(({ dir }) => dir),
    },
    env: process.env,
    secrets,
    resolves: record,
    connections: await connectionsFor(subject, plugin, record, secrets, missing),
  };
}

async function connectionsFor(
  { dir, source }: Subject,
  plugin: PluginVersion,
  record: boolean,
  secrets: SecretSource,
  missing: string[],
): Promise<Connections> {
  // Nothing is written into a stranger's directory: what was consented to must stay as it is.
  if (record && source.trust === 'declared') {
    const resolved = resolvePolicy(plugin.manifest.permissions, 'as_requested');
    return recordingConnections(
      dir,
      createRedactor(resolved.ok ? secretValues(resolved.policy, secrets) : []),
    );
  }
  const respond = await replay(dir);
  return answeringConnections((request) => {
    try {
      return respond(request);
    } catch (error) {
      if (error instanceof MissingFixture) missing.push(error.request);
      throw error;
    }
  });
}

function judge(
  subject: Subject,
  index: number,
  example: Example,
  { result, record, denials }: BenchCall,
  missing: readonly string[],
): Finding[] {
  const pointer = `/examples/${index}`;
  const number = `example ${index + 1}`;
  const tell = (level: 'error' | 'warning', message: string, fix: string, at = pointer): Finding[] => [
    findingAt(subject, at, {
      rule: level === 'error' ? 'examples' : 'examples/not-run',
      level,
      message,
      fix,
    }),
  ];
  const isRight =
    result.ok && (!('result' in example) || isDeepStrictEqual(plain(result.value), plain(example.result)));
  if (isRight && missing.length === 0) return [];
  const uses = record?.uses ?? [];
  const denied = denials.find(({ requested }) => requested);
  if (denied !== undefined)
    return tell(
      'warning',
      `${number} was not checked: ${denied.target} is not granted (${denied.reason})`,
      denied.grant === undefined ? 'grant it' : `add to "grants": ${denied.grant}`,
    );
  if (missing.length > 0)
    return tell(
      'warning',
      `${number} was not checked: it needs the network, and nothing is recorded for ${missing.join(', ')}`,
      'record it: glovebox check --record',
    );
  const other = uses.find(({ capability, allowed }) => capability === 'tools' && allowed);
  if (other !== undefined)
    return tell(
      'warning',
      `${number} was not checked: it calls the tool ${other.target}, which is not there in a check`,
      'test it with a stand-in: glovebox test',
    );
  const files = uses.find(({ capability }) => capability === 'read' || capability === 'write');
  if (!result.ok && result.error.code === 'not_found' && files !== undefined)
    return tell(
      'warning',
      `${number} was not checked: ${files.target} is not there`,
      (subject.manifest?.permissions.write ?? []).length > 0
        ? 'put the files that it needs into fixtures/files of the plugin'
        : 'add the file, or take an example that needs none',
    );
  if (!result.ok) {
    const { code, message, issues = [] } = result.error;
    const details = issues.map((issue) => issue.message).join(' ');
    const isArguments = code === 'invalid_arguments';
    return tell(
      'error',
      `${number} fails with ${code}: ${message} ${details}`.trim(),
      isArguments ? 'correct its arguments, or "parameters"' : 'correct the code, or the example',
      isArguments ? `${pointer}/arguments` : pointer,
    );
  }
  return tell(
    'error',
    `${number} returns ${show(result.value)}, not ${show(example.result)}`,
    'correct the code or "result"; leave "result" out where it changes from call to call',
    `${pointer}/result`,
  );
}

/** As JSON has it: -0 is 0, and nothing has a prototype. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}

import { cp, mkdir, mkdtemp, realpath, rm, stat } from 'node:fs/promises';
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
import type { Example, PermissionRequest } from '../plugin/manifest.ts';
import type { PluginVersion } from '../plugin/plugin-version.ts';
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
  /** Other tools that a plugin may call, by name. */
  readonly others: ReadonlyMap<string, Subject>;
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
    const failed = new Set<string>();
    const benchOf = (one: Subject, version: PluginVersion, tools: BenchWorld['tools'] = {}) =>
      new Bench({
        ...{ sandbox: options.sandbox, plugin: version, grant: grantOf(one), limits: options.config },
        world: { ...world, storage, tools },
      });
    const bench = benchOf(subject, plugin, standIns(subject, options.others, benchOf, failed));
    for (const [index, example] of manifest.examples.entries()) {
      missing.length = 0;
      failed.clear();
      const call = await bench.call(example.arguments);
      findings.push(...judge(subject, index, example, call, { missing, failed: [...failed] }));
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

/** The real other tools, as far as the plugin asks for them; what one of them fails at is remembered. */
function standIns(
  { manifest, name }: Subject,
  others: ExampleOptions['others'],
  benchOf: (one: Subject, version: PluginVersion) => Bench,
  failed: Set<string>,
): NonNullable<BenchWorld['tools']> {
  if ((manifest?.permissions.tools ?? []).length === 0) return {};
  return Object.fromEntries(
    [...others].flatMap(([other, subject]) => {
      const { plugin } = subject;
      if (plugin === undefined || other === name) return [];
      const run = async (args: Readonly<Record<string, unknown>>) => {
        const { result } = await benchOf(subject, plugin).call(args);
        if (result.ok) return result.value;
        failed.add(other);
        throw new Error(result.error.message);
      };
      return [[other, run] as const];
    }),
  );
}

async function makeWorld(
  subject: Subject,
  plugin: PluginVersion,
  scratch: string,
  { config, record }: ExampleOptions,
  missing: string[],
): Promise<Omit<BenchWorld, 'storage'>> {
  const fixtures = path.join(subject.dir, 'fixtures', 'files');
  const hasFixtures = await stat(fixtures).then(
    (info) => info.isDirectory(),
    () => false,
  );
  const writes = (plugin.manifest.permissions.write ?? []).length > 0;
  // Reading harms nothing, so a plugin that only reads sees the real files, unless it brings its own.
  const baseDir = writes || hasFixtures ? path.join(scratch, 'files') : config.baseDir;
  if (baseDir !== config.baseDir) await mkdir(baseDir);
  if (hasFixtures) await cp(fixtures, baseDir, { recursive: true, verbatimSymlinks: true });
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
  { missing, failed }: { readonly missing: readonly string[]; readonly failed: readonly string[] },
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
  const called = uses.find(({ capability }) => capability === 'tools');
  if (
    failed.length > 0 ||
    (!result.ok && called !== undefined && /no tool|unknown/i.test(result.error.message))
  )
    return tell(
      'warning',
      `${number} was not checked: it calls ${failed.join(', ') || called?.target}, which could not answer here`,
      'test it with a stand-in: glovebox test',
    );
  const { read = [], write = [] } = subject.manifest?.permissions ?? {};
  if (!result.ok && result.error.code === 'not_found' && read.length + write.length > 0)
    return tell(
      'warning',
      `${number} was not checked: a file that it needs is not there (${result.error.message})`,
      "put the file into the plugin's fixtures/files, below which its paths then begin",
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

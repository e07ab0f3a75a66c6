import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { evaluateOnce } from '../authoring/from-code/evaluate-once.ts';
import type { CallResult } from '../call/result.ts';
import type { CapabilityUse } from '../permissions/broker.ts';
import {
  type Connections,
  createRedactor,
  createStorage,
  type Denial,
  environmentSecrets,
  resolvePolicy,
  type SecretSource,
  secretValues,
} from '../permissions/index.ts';
import { parseNetRule } from '../permissions/net/pattern.ts';
import { loadPlugin } from '../plugin/load-plugin.ts';
import type { Manifest, PermissionRequest } from '../plugin/manifest.ts';
import type { PluginVersion } from '../plugin/plugin-version.ts';
import { formatProblem } from '../plugin/problem.ts';
import type { LogLevel } from '../sandbox/sandbox.ts';
import { Bench, type BenchCall, limitsOf, nameOfDirectory } from './bench.ts';
import { answeringConnections, type NetAnswer, type NetRequest, type Responder } from './net-answers.ts';
import { MissingFixture, recordingConnections, replay } from './net-fixtures.ts';
import { sharedSandbox } from './shared-sandbox.ts';

/** Set by `glovebox test --record`. */
export const RECORD_VARIABLE = 'GLOVEBOX_RECORD';

/** Answers by method and URL pattern, as permissions write them: `"GET https://api.example.com/*"`. The first that fits. */
export type NetAnswers = Readonly<
  Record<string, NetAnswer | ((request: NetRequest) => NetAnswer | Promise<NetAnswer>)>
>;

export interface PluginTestOptions {
  /**
   * What the network answers: the plugin's recorded `fixtures/net` (written by `glovebox test --record`), answers by
   * pattern, or a function of the request. A function that throws is a connection that fails.
   * @defaultValue 'fixtures'
   */
  readonly net?: 'fixtures' | NetAnswers | Responder;
  /** Files that are there when the plugin is opened, by path relative to the temporary directory that it works in. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** `process.env` of the plugin, as far as it asks for the names. @defaultValue nothing is set */
  readonly env?: Readonly<Record<string, string>>;
  /** Values of its secrets. @defaultValue each one is `fake-NAME`; while recording, the real ones of the environment */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Stand-ins for the tools that it calls, by name. What one throws is that tool's error. */
  readonly tools?: Readonly<Record<string, (args: Readonly<Record<string, unknown>>) => unknown>>;
  /** What is granted to it. @defaultValue all that its schema.json asks for */
  readonly grants?: PermissionRequest;
}

export interface PluginLog {
  readonly level: LogLevel;
  readonly text: string;
}

/** A plugin that runs in the real sandbox with a made-up world behind its capabilities. */
export interface TestedPlugin extends AsyncDisposable {
  readonly manifest: Manifest;
  /** The temporary directory in which its relative paths begin; gone after `close`. */
  readonly dir: string;
  /** What it logged so far, `console` included. */
  readonly logs: readonly PluginLog[];
  /**
   * Calls it as a model would: arguments (an object, or raw text) are checked, the answer is shaped and bounded.
   *
   * @throws Error when the network was asked for something that is neither recorded nor answered.
   */
  call(
    args?: unknown,
    options?: { readonly session?: string; readonly signal?: AbortSignal },
  ): Promise<CallResult>;
  /** What the last call used of its permissions, and was refused. */
  uses(): readonly CapabilityUse[];
  /** What the last call was refused, each with the reason and, where there is one, the grant that would allow it. */
  denials(): readonly Denial[];
  /** The text of a file that it wrote. */
  readFile(name: string): Promise<string>;
  close(): Promise<void>;
}

/**
 * Opens the plugin of a test for calls: `await using tool = await openPlugin(import.meta.dirname)`.
 *
 * @param where the plugin's directory, or `import.meta.url` of a file in it.
 * @throws Error when the plugin can't be loaded, with every problem.
 */
export async function openPlugin(
  where: string | URL,
  options: PluginTestOptions = {},
): Promise<TestedPlugin> {
  const pluginDir = await directoryOf(where);
  const sandbox = await sharedSandbox();
  const loaded = await loadPlugin({
    dir: pluginDir,
    defaultName: nameOfDirectory(pluginDir),
    trust: 'declared',
    limitsOf: (manifest) => limitsOf(manifest),
    probe: (program, limits) => sandbox.probe(program, limits),
    evaluate: evaluateOnce(sandbox),
  });
  if (!loaded.ok)
    throw new Error(`${loaded.name} can't be loaded:\n${loaded.problems.map(formatProblem).join('\n')}`);
  const dir = await realpath(await mkdtemp(path.join(tmpdir(), 'glovebox-test-')));
  const missing: string[] = [];
  const world = await makeWorld(loaded.plugin, pluginDir, path.join(dir, 'files'), options, missing);
  const storage = createStorage({ dir: path.join(dir, 'storage') });
  const logs: PluginLog[] = [];
  const bench = new Bench({
    sandbox,
    plugin: loaded.plugin,
    grant: options.grants ?? 'as_requested',
    world: { ...world, storage, env: options.env ?? {}, tools: options.tools ?? {} },
    onLog: (level, text) => logs.push({ level, text }),
  });
  let last: BenchCall | undefined;
  const close = async () => {
    storage.close();
    await world.connections.close();
    await rm(dir, { recursive: true, force: true });
  };
  return {
    manifest: loaded.plugin.manifest,
    dir: world.baseDir,
    logs,
    async call(args = {}, callOptions = {}) {
      missing.length = 0;
      last = await bench.call(args, callOptions);
      if (missing.length > 0) throw new Error(missingText(missing));
      return last.result;
    },
    uses: () => last?.record?.uses ?? [],
    denials: () => last?.denials ?? [],
    readFile: async (name) => readFile(inside(world.baseDir, name), 'utf8'),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function directoryOf(where: string | URL): Promise<string> {
  const text = String(where);
  const file = text.startsWith('file:') ? fileURLToPath(text) : path.resolve(text);
  return (await stat(file)).isDirectory() ? file : path.dirname(file);
}

async function makeWorld(
  plugin: PluginVersion,
  pluginDir: string,
  baseDir: string,
  options: PluginTestOptions,
  missing: string[],
): Promise<{ baseDir: string; connections: Connections; secrets: SecretSource; resolves: boolean }> {
  await mkdir(baseDir, { recursive: true });
  for (const [name, content] of Object.entries(options.files ?? {})) {
    const file = inside(baseDir, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  const { net = 'fixtures' } = options;
  const isRecording = net === 'fixtures' && process.env[RECORD_VARIABLE] === '1';
  const secrets = secretsOf(options.secrets, isRecording);
  if (isRecording) {
    const resolved = resolvePolicy(plugin.manifest.permissions, 'as_requested');
    const redactor = createRedactor(resolved.ok ? secretValues(resolved.policy, secrets) : []);
    return { baseDir, connections: recordingConnections(pluginDir, redactor), secrets, resolves: true };
  }
  const respond =
    net === 'fixtures' ? await replay(pluginDir) : typeof net === 'function' ? net : responderOf(net);
  const connections = answeringConnections(async (request) => {
    try {
      return await respond(request);
    } catch (error) {
      if (error instanceof MissingFixture) missing.push(error.request);
      throw error;
    }
  });
  return { baseDir, connections, secrets, resolves: false };
}

function secretsOf(given: PluginTestOptions['secrets'], isRecording: boolean): SecretSource {
  if (given !== undefined) return (name) => (Object.hasOwn(given, name) ? given[name] : undefined);
  return isRecording ? environmentSecrets : (name) => `fake-${name}`;
}

/** @throws TypeError for a key that is no pattern. */
function responderOf(answers: NetAnswers): Responder {
  const rules = Object.entries(answers).map(([text, answer]) => {
    const parsed = parseNetRule(text);
    if (!parsed.ok) throw new TypeError(`net: "${text}" ${parsed.message}`);
    return { rule: parsed.rule, answer };
  });
  return (request) => {
    const found = rules.find(({ rule }) => rule.matches(request.method, new URL(request.url)));
    if (found === undefined) throw new MissingFixture(request);
    return typeof found.answer === 'function' ? found.answer(request) : found.answer;
  };
}

function inside(baseDir: string, name: string): string {
  const file = path.resolve(baseDir, name);
  if (!file.startsWith(`${baseDir}${path.sep}`))
    throw new TypeError(`"${name}" leads out of the test's directory`);
  return file;
}

function missingText(requests: readonly string[]): string {
  return [
    'The plugin asked the network for what the test has no answer for:',
    ...requests.map((request) => `  ${request}`),
    'Record it (glovebox test --record), or answer it: openPlugin(dir, { net: { "GET https://...": { json: {} } } }).',
  ].join('\n');
}

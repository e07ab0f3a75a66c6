import { evaluateOnce } from '../authoring/from-code/evaluate-once.ts';
import { type Config, resolveLimits } from '../config/index.ts';
import { DEFAULT_LIMITS } from '../config/limits.ts';
import { resolvePolicy } from '../permissions/index.ts';
import { loadVersion } from '../plugin/load-version.ts';
import type { Manifest } from '../plugin/manifest.ts';
import type { AnyVersion } from '../plugin/offer-version.ts';
import { formatProblem } from '../plugin/problem.ts';
import { createSandbox } from '../sandbox/create-sandbox.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Candidate } from './find-plugins.ts';
import { done, failed, type Outcome, type Refusal } from './outcome.ts';

const MOST_PROBLEMS = 10;

/** Loads each candidate as a stranger's, behind the wall of this machine; the first that fails fails all. */
export async function tryPlugins(
  candidates: readonly Candidate[],
  config: Config,
): Promise<Outcome<readonly AnyVersion[]>> {
  const sandbox = await createSandbox(config.sandbox);
  try {
    const refusal = await testWall(sandbox);
    if (refusal !== undefined) return refusal;
    const loaded: AnyVersion[] = [];
    for (const candidate of candidates) {
      const one = await tryPlugin(candidate, config, sandbox);
      if (!one.ok) return one;
      loaded.push(one.value);
    }
    return done(loaded);
  } finally {
    await sandbox.close();
  }
}

async function tryPlugin(
  { dir, defaultName }: Candidate,
  { limits, ceilings }: Config,
  sandbox: Sandbox,
): Promise<Outcome<AnyVersion>> {
  const limitsOf = (manifest: Manifest) => resolveLimits(limits, ceilings, manifest.limits).limits;
  const result = await loadVersion({
    ...{ dir, defaultName, trust: 'granted', limitsOf },
    probe: (program, own) => sandbox.probe(program, own),
    evaluate: evaluateOnce(sandbox),
  });
  if (!result.ok) {
    const problems = result.problems.slice(0, MOST_PROBLEMS).map((problem) => `  ${formatProblem(problem)}`);
    return failed([`${result.name} does not load:`, ...problems].join('\n'));
  }
  const { manifest } = result.plugin;
  const policy = resolvePolicy(manifest.permissions, 'as_requested');
  if (policy.ok) return done(result.plugin);
  const wrong = policy.problems.slice(0, MOST_PROBLEMS).map(({ path, message }) => `  ${path} ${message}`);
  return failed([`${manifest.name} asks for permissions that can't be read:`, ...wrong].join('\n'));
}

/** The sandbox tests itself before the first stranger's run; so let something harmless be that run. */
async function testWall(sandbox: Sandbox): Promise<Refusal | undefined> {
  const outcome = await sandbox.run({
    program: {
      name: 'glovebox add',
      version: '1',
      code: 'var __plugin = { default() { return 1; } };',
      state: 'fresh',
      isolation: 'dedicated',
    },
    argumentsJson: '{}',
    limits: DEFAULT_LIMITS,
    repeatable: true,
    env: {},
    broker: async () => ({ ok: false, error: { name: 'Error', message: 'not here' } }),
  });
  if (outcome.kind === 'value') return undefined;
  const reason = outcome.kind === 'stopped' ? (outcome.detail ?? outcome.reason) : outcome.kind;
  return failed(`strangers' plugins can't be run safely on this machine: ${reason}`);
}

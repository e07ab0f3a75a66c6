import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ConfigInput,
  type ConfigProblem,
  DEFAULT_CEILINGS,
  DEFAULT_LIMITS,
  DEFAULTS,
  formatConfigProblems,
  LEAST_LIMITS,
  readConfig,
} from '../../core/config/index.ts';
import schema from '../../schemas/registry.config.schema.json' with { type: 'json' };

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'glovebox-config-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function problemsOf(text: string): Promise<readonly ConfigProblem[]> {
  await writeFile(path.join(dir, 'case.json'), text);
  const result = await readConfig('case.json', { cwd: dir });
  return result.ok ? [] : result.problems;
}

async function configOf(input: ConfigInput) {
  const result = await readConfig(input, { cwd: dir });
  if (!result.ok) throw new Error(formatConfigProblems(result));
  return result.config;
}

describe('readConfig', () => {
  it('gives the defaults where there is no default file', async () => {
    const result = await readConfig(undefined, { cwd: dir });
    expect(result).toMatchObject({
      ok: true,
      config: {
        baseDir: dir,
        plugins: [{ dir: path.join(dir, 'plugins'), trust: 'declared', grants: {} }],
        limits: DEFAULT_LIMITS,
        ceilings: DEFAULT_CEILINGS,
        sandbox: DEFAULTS.sandbox,
      },
    });
  });

  it('refuses a file that was named and is missing, or is a directory', async () => {
    expect(await readConfig('nowhere.json', { cwd: dir })).toMatchObject({
      ok: false,
      file: path.join(dir, 'nowhere.json'),
      problems: [{ message: 'there is no such file' }],
    });
    expect(await readConfig('.', { cwd: dir })).toMatchObject({ ok: false });
  });

  it('takes paths as relative to the file, not to the working directory', async () => {
    await writeFile(
      path.join(dir, 'good.json'),
      '{"plugins": ["./tools", {"dir": "../theirs", "trust": "granted"}]}',
    );
    const result = await readConfig(path.join(dir, 'good.json'), { cwd: '/' });
    expect(result.ok && result.config.plugins).toEqual([
      { dir: path.join(dir, 'tools'), trust: 'declared', grants: {} },
      { dir: path.join(path.dirname(dir), 'theirs'), trust: 'granted', grants: {} },
    ]);
  });

  it('takes one plugin folder as a plain string', async () => {
    const config = await configOf({ plugins: 'tools' });
    expect(config.plugins).toEqual([{ dir: path.join(dir, 'tools'), trust: 'declared', grants: {} }]);
  });

  it('keeps the other defaults of a section of which one key is set', async () => {
    const config = await configOf({
      sandbox: { workers: 1, quarantine: { deaths: 5 } },
      limits: { cpuMs: 7 },
    });
    expect(config.sandbox).toEqual({
      ...DEFAULTS.sandbox,
      workers: 1,
      quarantine: { deaths: 5, windowMs: 60_000 },
    });
    expect(config.limits).toEqual({ ...DEFAULT_LIMITS, cpuMs: 7 });
  });

  it('cuts a default limit at a ceiling that was lowered', async () => {
    const config = await configOf({ ceilings: { timeoutMs: 2_000 } });
    expect(config.limits.timeoutMs).toBe(2_000);
  });

  it('keeps what a plugin of strangers is granted', async () => {
    const grants = { weather: { net: ['GET https://api.weather.gov/*'] } };
    const config = await configOf({ plugins: [{ dir: 'x', trust: 'granted', grants }] });
    expect(config.plugins[0]?.grants).toEqual(grants);
  });

  it('reads a file that begins with a byte order mark', async () => {
    expect(await problemsOf('\uFEFF{"locale": "zh"}')).toEqual([]);
  });
});

describe('a wrong config', () => {
  it('names an unknown key, its line, the known keys and the nearest one', async () => {
    expect(await problemsOf('{\n  "limits": {\n    "timoutMs": 5\n  }\n}')).toEqual([
      {
        path: 'limits.timoutMs',
        message: 'is not a known key',
        allowed: Object.keys(DEFAULT_LIMITS),
        suggestion: 'timeoutMs',
        line: 3,
        column: 5,
      },
    ]);
  });

  it('reports every problem, not only the first', async () => {
    const problems = await problemsOf(
      '{"locale": "english", "watch": "yes", "plugins": [{"trust": "granted"}, 7]}',
    );
    expect(problems.map((problem) => problem.path)).toEqual(
      expect.arrayContaining(['locale', 'watch', 'plugins[0]', 'plugins[1]']),
    );
  });

  it('names the allowed values', async () => {
    const [problem] = await problemsOf('{"locale": "fr"}');
    expect(problem).toMatchObject({ path: 'locale', allowed: ['en', 'zh'] });
    expect(problem?.message).toBe('must be one of "en", "zh", not "fr"');
  });

  it.each([
    ['{"limits": {"cpuMs": 40000}}', 'limits.cpuMs', /above the ceiling of 30000.*ceilings\.cpuMs/],
    ['{"limits": {"cpuMs": 600}, "ceilings": {"cpuMs": 500}}', 'limits.cpuMs', /above the ceiling of 500/],
    ['{"limits": {"cpuMs": 0}}', 'limits.cpuMs', /at least 1/],
    ['{"limits": {"cpuMs": 1.5}}', 'limits.cpuMs', /must be an integer/],
    ['{"limits": {"cpuMs": "5"}}', 'limits.cpuMs', /must be an integer, not "5"/],
    ['{"plugins": [{"dir": "x", "grants": {}}]}', 'plugins[0].grants', /"trust": "granted"/],
    ['{"sandbox": {"workers": 9}}', 'sandbox.workers', /maxProcesses/],
    ['{"plugins": ""}', 'plugins', /must not be empty/],
    ['{"__proto__": {"watch": true}}', '__proto__', /not a known key/],
    ['[]', '', /must be an object/],
  ])('refuses %s with the path and the reason', async (text, where, reason) => {
    const problems = await problemsOf(text);
    expect(problems.map((problem) => problem.path)).toEqual([where]);
    expect(problems[0]?.message).toMatch(reason);
  });

  it.each([
    ['', 1, 1],
    ['{\n  "watch": tru\n}', 2, 12],
    ['{"watch": true,}', 1, 16],
    ['{"watch": true', 1, 15],
    ['{\n// no comments\n"watch": true}', 2, 1],
    ['{\n"watch": true,\n"watch": false}', 3, 1],
    ['['.repeat(200_000), 1, 1],
  ])('says the line and column of broken JSON: %j', async (text, line, column) => {
    expect(await problemsOf(text)).toMatchObject([{ path: '', line, column }]);
  });

  it('refuses a file too big to be a config without reading it', async () => {
    const [problem] = await problemsOf(`{${' '.repeat(2_000_000)}}`);
    expect(problem?.message).toMatch(/bytes long/);
  });

  it('prints as one line a problem, each with file, place, path and advice', async () => {
    await writeFile(path.join(dir, 'case.json'), '{"watsh": 1, "locale": "fr"}');
    const result = await readConfig('case.json', { cwd: dir });
    const lines = result.ok ? [] : formatConfigProblems(result).split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(
      /case\.json:1:2: watsh is not a known key\. Did you mean "watch"\? Known here: .*plugins/,
    );
  });
});

describe('the schema for editors', () => {
  it('has the keys and the defaults of the code', () => {
    const { limits } = schema.definitions;
    expect(Object.keys(limits.properties)).toEqual(Object.keys(DEFAULT_LIMITS));
    for (const [name, { description, minimum }] of Object.entries(limits.properties)) {
      // Both tables are keyed by the names just compared.
      const key = name as keyof typeof DEFAULT_LIMITS;
      expect(minimum).toBe(LEAST_LIMITS[key]);
      expect(description).toContain(`Default ${DEFAULT_LIMITS[key]}, ceiling ${DEFAULT_CEILINGS[key]}.`);
    }
    const { sandbox, locale, watch, plugins, deferAbove, result, audit, approval, telemetry, repeats } =
      schema.properties;
    const { quarantine, ...flat } = sandbox.properties;
    const defaultsOf = (properties: Record<string, object>) =>
      Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, Reflect.get(property, 'default')]),
      );
    expect(defaultsOf({ locale, watch, plugins, deferAbove })).toEqual({
      locale: DEFAULTS.locale,
      watch: DEFAULTS.watch,
      plugins: DEFAULTS.plugins,
      deferAbove: DEFAULTS.deferAbove,
    });
    expect({ ...defaultsOf(flat), quarantine: defaultsOf(quarantine.properties) }).toEqual(DEFAULTS.sandbox);
    expect(defaultsOf(result.properties)).toEqual(DEFAULTS.result);
    expect(defaultsOf(audit.properties)).toEqual(DEFAULTS.audit);
    expect(defaultsOf(approval.properties)).toEqual(DEFAULTS.approval);
    expect(defaultsOf(telemetry.properties)).toEqual(DEFAULTS.telemetry);
    expect(defaultsOf(repeats.properties)).toEqual(DEFAULTS.repeats);
    expect(Object.keys(schema.properties)).toEqual(['$schema', ...Object.keys(DEFAULTS)]);
  });

  it("accepts the repository's own config", async () => {
    expect(await readConfig(path.join(import.meta.dirname, '../../registry.config.json'))).toMatchObject({
      ok: true,
    });
  });
});

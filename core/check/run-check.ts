import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { evaluateOnce } from '../authoring/from-code/evaluate-once.ts';
import { type Config, dataPathOf } from '../config/index.ts';
import { Limiter } from '../plugin/limiter.ts';
import { createSandbox } from '../sandbox/create-sandbox.ts';
import { limitsOf } from '../testing/bench.ts';
import { type Applied, applyFixes } from './apply-fixes.ts';
import { type Finding, sortFindings } from './finding.ts';
import { readJsonSource } from './json-source.ts';
import { checkAlike } from './rules-alike.ts';
import { checkDescription } from './rules-description.ts';
import { checkExamples } from './rules-examples.ts';
import { checkGrants, checkPermissions } from './rules-permissions.ts';
import { checkNames, checkPortability } from './rules-portability.ts';
import { checkSchema } from './rules-schema.ts';
import { type CheckedTypes, checkTypeScript, checkTypesFile } from './rules-types.ts';
import { readSubject, type Subject, type Target } from './subject.ts';

export interface CheckOptions {
  readonly config: Config;
  readonly targets: readonly Target[];
  /** Are these all plugins of the config? Only then can it be said that a tool is not there. */
  readonly isAll: boolean;
  readonly fix?: boolean;
  readonly record?: boolean;
  readonly onProgress?: (done: number, total: number, name: string) => void;
}

export interface CheckReport {
  /** No error is left. */
  readonly ok: boolean;
  readonly plugins: number;
  readonly findings: readonly Finding[];
  /** What `--fix` did, and could not do. */
  readonly fixes: readonly Applied[];
}

/** Plugins that are looked at at the same time. */
const AT_ONCE = 4;
const MOST_PASSES = 4;

/** Checks plugins, each by itself and all together; what is wrong with one hides nothing of another. */
export async function runCheck(options: CheckOptions): Promise<CheckReport> {
  let seen = await look(options);
  const fixes: Applied[] = [];
  // A repair can make way for another one: a type's name must be right before it can be made nullable.
  for (let pass = 0; pass < MOST_PASSES && options.fix === true; pass += 1) {
    const applied = await applyFixes(seen.subjects, seen.findings);
    const isLast = !applied.some(({ ok }) => ok);
    fixes.push(...(isLast ? applied : applied.filter(({ ok }) => ok)));
    if (isLast) break;
    // What is left, with the places where it is now.
    seen = await look(options);
  }
  return { ...report(seen), fixes };
}

interface Look {
  readonly subjects: readonly Subject[];
  readonly findings: readonly Finding[];
}

function report({ subjects, findings }: Look): Omit<CheckReport, 'fixes'> {
  return {
    ok: !findings.some(({ level }) => level === 'error'),
    plugins: subjects.length,
    findings: sortFindings(findings),
  };
}

async function look({ config, targets, isAll, record, onProgress }: CheckOptions): Promise<Look> {
  const sandbox = await createSandbox(config.sandbox);
  try {
    const limiter = new Limiter(AT_ONCE);
    let done = 0;
    // Each is loaded, and then its examples run.
    const step = (name: string) => {
      done += 1;
      onProgress?.(done, targets.length * 2, name);
    };
    const examined = await Promise.all(
      targets.map((target) =>
        limiter.run(async () => {
          const subject = await readSubject(target, {
            limitsOf: (manifest) => limitsOf(manifest, config),
            probe: (program, limits) => sandbox.probe(program, limits),
            evaluate: evaluateOnce(sandbox),
            cacheDir: path.join(dataPathOf(config), 'cache'),
          });
          const types = await checkTypesFile(subject);
          step(subject.name);
          return { subject, types, findings: [...checkSchema(subject), ...types.findings] };
        }),
      ),
    );
    const subjects = examined.map(({ subject }) => subject);
    const others = new Map(subjects.map((subject) => [subject.name, subject]));
    const examples = await Promise.all(
      subjects.map((subject) =>
        limiter.run(async () => {
          const found = await checkExamples(subject, { sandbox, config, record: record === true, others });
          step(subject.name);
          return found;
        }),
      ),
    );
    const names = new Set(isAll ? subjects.map(({ name }) => name) : []);
    const findings = [
      ...examined.flatMap((one) => one.findings),
      ...examples.flat(),
      ...subjects.flatMap((subject) => [...checkDescription(subject), ...checkPermissions(subject, names)]),
      ...checkAlike(subjects),
      ...checkNames(subjects),
      ...checkPortability(subjects),
      ...(isAll ? await grantsOf(config, subjects) : []),
      ...(await checkTypeScript(
        examined.map(({ subject, types }): readonly [Subject, CheckedTypes] => [subject, types]),
        config.baseDir,
      )),
    ];
    return { subjects, findings };
  } finally {
    await sandbox.close();
  }
}

async function grantsOf(config: Config, subjects: readonly Subject[]): Promise<Finding[]> {
  const { file } = config;
  if (file === undefined) return [];
  const text = await readFile(file, 'utf8').catch(() => undefined);
  return checkGrants(config, text === undefined ? undefined : readJsonSource(file, text), subjects);
}

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'acorn';
import { DEFAULT_CEILINGS, type Limits } from '../config/limits.ts';
import { createSandbox } from '../sandbox/create-sandbox.ts';
import type { Broker, RunOutcome, SandboxProgram } from '../sandbox/sandbox.ts';

/** Standard errors that a script may leave behind (tests of the web platform do) have room here. */
const SETTINGS = {
  workers: 1,
  maxProcesses: 1,
  idleMs: 60_000,
  workerMemoryMb: 1_024,
  jitless: 'never',
  quarantine: { deaths: 3, windowMs: 60_000 },
} as const;

/** Of what a file gave, where the files after it never come to an end. */
const MOST_TOLD_CHARS = 1_000;

/** `npm run guest -- FILE...` has no policy, so it grants nothing. */
const grantNothing: Broker = async (call) => ({
  ok: false,
  error: {
    name: 'NotAllowedError',
    code: 'permission_denied',
    message: `${call.method} needs a grant, and there are none here`,
  },
});

/** How long the next file waits for a promise that a file gave; what takes longer is awaited at the end. */
const PATIENCE_MS = 1_000;

/**
 * Evaluates script files one after the other in one context of the guest, as `<script>` elements would be: what a file
 * declares is there for the next one. Each answer is the file's last value, awaited if it is a promise. After any other
 * value the next file follows at once, before microtasks, as a test harness takes a turn without tests for the end of them.
 */
function scriptRunner(): SandboxProgram {
  const code = `var __plugin = { default: async function (args, ctx) {
    const evaluate = eval;
    const wait = setTimeout;
    const isThenable = (value) => typeof value === 'object' && value !== null && typeof value.then === 'function';
    const show = (value) => {
      if (typeof value === 'string') return value;
      try { const text = JSON.stringify(value); if (text !== undefined) return text } catch {}
      return typeof value === 'function' ? '[Function: ' + value.name + ']' : String(value);
    };
    const describe = (error) => {
      if (typeof error !== 'object' || error === null) return show(error);
      const head = String(error.name) + ': ' + String(error.message);
      const stack = typeof error.stack === 'string' ? error.stack : '';
      return stack.startsWith(head) ? stack : head + (stack === '' ? '' : '\\n' + stack);
    };
    const answers = [];
    const tell = (index, answer) => {
      answers[index] = answer;
      ctx.progress({ index, ...answer, returned: answer.returned?.slice(0, ${MOST_TOLD_CHARS}), threw: answer.threw?.slice(0, ${MOST_TOLD_CHARS}) });
    };
    const returned = (index, name) => (value) => tell(index, { name, returned: value === undefined ? undefined : show(value) });
    const threw = (index, name) => (error) => tell(index, { name, threw: describe(error) });
    const pending = [];
    for (const [index, { name, source }] of args.files.entries()) {
      try {
        const value = evaluate(source + '\\n//# sourceURL=' + name);
        if (!isThenable(value)) { returned(index, name)(value); continue }
        const settled = (async () => value)().then(returned(index, name), threw(index, name));
        pending.push(settled);
        await Promise.race([settled, new Promise((resolve) => wait(resolve, ${PATIENCE_MS}))]);
      } catch (error) {
        threw(index, name)(error);
      }
    }
    await Promise.all(pending);
    return answers;
  } };`;
  const version = createHash('sha256').update(code).digest('hex');
  return { name: 'guest', version, code, state: 'fresh', isolation: 'dedicated' };
}

/**
 * Scripts share their top-level `let`, `const` and `class`; an indirect eval keeps those to itself. As `var` they stay,
 * on the global object. What can't be parsed is left for the guest to complain about.
 */
function keepDeclarations(source: string): string {
  let text = source;
  for (const { start, end, replacement } of findDeclarations(source).reverse()) {
    text = text.slice(0, start) + replacement + text.slice(end);
  }
  return text;
}

interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

function findDeclarations(source: string): Replacement[] {
  try {
    const { body } = parse(source, { ecmaVersion: 'latest', sourceType: 'script' });
    return body.flatMap((node): Replacement[] => {
      const { start } = node;
      if (node.type === 'ClassDeclaration') {
        return [{ start, end: start, replacement: `var ${source.slice(node.id.start, node.id.end)} = ` }];
      }
      if (node.type !== 'VariableDeclaration' || (node.kind !== 'let' && node.kind !== 'const')) return [];
      return [{ start, end: start + node.kind.length, replacement: 'var' }];
    });
  } catch {
    return [];
  }
}

interface Answer {
  readonly index?: number;
  readonly name: string;
  readonly returned?: string;
  readonly threw?: string;
}

/**
 * What the files returned or threw goes to stdout, what they log to stderr. Resolves with the exit code: 0 if all came to
 * an end without throwing, 1 if not, 2 if a file can't be read.
 */
export async function runGuestFiles(
  files: readonly string[],
  write: { readonly out: (text: string) => void; readonly log: (text: string) => void },
  limits: Partial<Limits> = {},
): Promise<number> {
  const sources: { name: string; source: string }[] = [];
  for (const file of files) {
    try {
      sources.push({ name: path.basename(file), source: keepDeclarations(await readFile(file, 'utf8')) });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException; // node:fs rejects with these
      write.log(`${file} can't be read (${code})`);
      return 2;
    }
  }
  await using cleanup = new AsyncDisposableStack();
  const sandbox = await createSandbox(SETTINGS);
  cleanup.defer(() => sandbox.close());
  const told: Answer[] = [];
  const outcome = await sandbox.run({
    program: scriptRunner(),
    argumentsJson: JSON.stringify({ files: sources }),
    limits: { ...DEFAULT_CEILINGS, ...limits },
    repeatable: false,
    env: {},
    broker: grantNothing,
    onLog: (level, text) => write.log(`[${level}] ${text}`),
    // Made by the runner above.
    onProgress: (json) => told.push(JSON.parse(json) as Answer),
  });
  if (outcome.kind === 'value') return print(JSON.parse(outcome.json ?? '[]') as Answer[], write.out); // as above
  print(
    told.toSorted((one, other) => (one.index ?? 0) - (other.index ?? 0)),
    write.out,
  );
  const open = sources.find((_, index) => !told.some((answer) => answer.index === index));
  write.out(`${open?.name ?? 'the last file'} did not come to an end: ${describeStop(outcome)}`);
  return 1;
}

function describeStop(outcome: Exclude<RunOutcome, { kind: 'value' }>): string {
  if (outcome.kind === 'thrown') return `${outcome.error.name}: ${outcome.error.message}`;
  if (outcome.kind === 'unserialisable') return outcome.message;
  return outcome.detail === undefined ? outcome.reason : `${outcome.reason} (${outcome.detail})`;
}

function print(answers: readonly Answer[], out: (text: string) => void): number {
  for (const { name, returned, threw } of answers) {
    if (threw !== undefined) out(`${name} threw ${threw}`);
    else out(`${name} returned ${returned ?? 'undefined'}`);
  }
  return answers.some((answer) => answer.threw !== undefined) ? 1 : 0;
}

if (import.meta.main) {
  const files = process.argv.slice(2);
  if (files.length === 0) {
    process.stderr.write('usage: npm run guest -- FILE...\n');
    process.exitCode = 2;
  } else {
    process.exitCode = await runGuestFiles(files, {
      out: (text) => process.stdout.write(`${text}\n`),
      log: (text) => process.stderr.write(`${text}\n`),
    });
  }
}

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'acorn';
import { DEFAULT_CEILINGS } from '../config/limits.ts';
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

/** `npm run guest -- FILE...` has no policy, so it grants nothing. */
const grantNothing: Broker = async (call) => ({
  ok: false,
  error: {
    name: 'NotAllowedError',
    code: 'permission_denied',
    message: `${call.method} needs a grant, and there are none here`,
  },
});

/**
 * Evaluates script files one after the other in one context of the guest, as `<script>` elements would be: what a file
 * declares is there for the next one. Each answer is the file's last value, awaited.
 */
function scriptRunner(): SandboxProgram {
  const code = `var __plugin = { default: async function (args) {
    const evaluate = eval;
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
    for (const { name, source } of args.files) {
      try {
        const value = await evaluate(source + '\\n//# sourceURL=' + name);
        answers.push({ name, returned: value === undefined ? undefined : show(value) });
      } catch (error) {
        answers.push({ name, threw: describe(error) });
      }
    }
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
  readonly name: string;
  readonly returned?: string;
  readonly threw?: string;
}

/** What the files returned or threw goes to stdout, what they log to stderr. Resolves with the exit code. */
export async function runGuestFiles(
  files: readonly string[],
  write: { readonly out: (text: string) => void; readonly log: (text: string) => void },
): Promise<number> {
  const sources = await Promise.all(
    files.map(async (file) => ({
      name: path.basename(file),
      source: keepDeclarations(await readFile(file, 'utf8')),
    })),
  );
  await using cleanup = new AsyncDisposableStack();
  const sandbox = await createSandbox(SETTINGS);
  cleanup.defer(() => sandbox.close());
  const outcome = await sandbox.run({
    program: scriptRunner(),
    argumentsJson: JSON.stringify({ files: sources }),
    limits: { ...DEFAULT_CEILINGS },
    repeatable: false,
    env: {},
    broker: grantNothing,
    onLog: (level, text) => write.log(`[${level}] ${text}`),
  });
  return print(outcome, write.out);
}

function print(outcome: RunOutcome, out: (text: string) => void): number {
  if (outcome.kind !== 'value') {
    out(`The scripts did not come to an end: ${JSON.stringify(outcome)}`);
    return 1;
  }
  // Made by the runner above.
  const answers = JSON.parse(outcome.json ?? '[]') as Answer[];
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

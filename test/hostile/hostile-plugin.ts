import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** What a script's first line allows: `timeout`, `memory`, `error`, `ok`, `ok VALUE`. */
export function allowedOutcomes(script: string): string[] {
  const header = /^\/\/ expect: (.*)$/m.exec(script)?.[1];
  if (header === undefined) throw new Error('a hostile script without a line "// expect:"');
  return header.split('|').map((outcome) => outcome.trim());
}

/**
 * The host functions of the scripts, on what a plugin has here. The synchronous ones go out through the log, the
 * asynchronous ones through a call of another tool; a synchronous failure is that of a value that can't be sent.
 */
const STAND_INS = `
var hostContext;
function hostEcho(value) { var text = JSON.stringify(value); hostContext.log.info(text); return text === undefined ? undefined : JSON.parse(text); }
function hostLog(text) { hostContext.log.info(text); }
function hostThrow() { hostContext.progress(10n); }
function hostProbe() { return undefined; }
async function hostAsync(value) { var answer = await hostContext.tools.call('host_echo', { value: value }); return answer.value; }
function hostNever() { return hostContext.tools.call('host_never', {}); }
function hostDispose() { throw new Error('there is nothing to dispose of'); }
`;

/** Writes the script as a plugin of this name; its `main` gets the arguments. */
export async function writeHostilePlugin(root: string, name: string, script: string): Promise<void> {
  const directory = path.join(root, name);
  await mkdir(directory, { recursive: true });
  const schema = {
    description: 'A hostile script. Use it in the test of the wall only.',
    parameters: { type: 'object', properties: { n: { type: 'integer' } } },
    permissions: { tools: ['host_*'] },
    // A script that must end for want of memory gets the time to come so far, on a busy machine too.
    ...(allowedOutcomes(script).includes('timeout') ? {} : { limits: { cpuMs: 10_000, timeoutMs: 20_000 } }),
  };
  await writeFile(path.join(directory, 'schema.json'), JSON.stringify(schema));
  const tail = `export default typeof main === 'function' ? function (args, context) { hostContext = context; return main(args); } : undefined;`;
  // In front stands one line, so that the script's own lines keep their order; `main` may be missing on purpose.
  await writeFile(path.join(directory, 'index.js'), `${STAND_INS}\n${script}\n${tail}\n`);
}

/** An innocent plugin whose calls share worker processes with the attacks. */
export async function writeNeighbour(root: string): Promise<void> {
  const directory = path.join(root, 'neighbour');
  await mkdir(directory, { recursive: true });
  const schema = {
    description: 'Adds one to a number.',
    parameters: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
    annotations: { readOnly: true },
    // It may have to wait until the attack beside it is over.
    limits: { timeoutMs: 20_000 },
  };
  await writeFile(path.join(directory, 'schema.json'), JSON.stringify(schema));
  await writeFile(path.join(directory, 'index.js'), 'export default ({ n }) => n + 1;\n');
}

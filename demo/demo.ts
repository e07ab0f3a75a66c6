/** The whole story in under a minute: `npm run demo`. Each step says what it expects and fails the run if it is not so. */
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type CallResult, createHost, type Host } from '../core/index.ts';

/** The whole of it takes a few seconds; whatever hangs must not hang for ever. */
const DEADLINE_MS = 55_000;
const MAX_GROWTH_MB = 256;
const SHIPPED = path.join(import.meta.dirname, '..', 'plugins');

function title(text: string): void {
  process.stdout.write(`\n== ${text}\n`);
}

function show(name: string, args: unknown, result: CallResult): void {
  const lines = result.content.split('\n');
  const more = lines.length > 6 ? `\n    ... ${lines.length - 6} more lines` : '';
  process.stdout.write(
    `  ${name}(${JSON.stringify(args)}) in ${result.usage.wallMs.toFixed(1)} ms\n    ${lines.slice(0, 6).join('\n    ')}${more}\n`,
  );
}

function expect(what: string, holds: boolean): void {
  process.stdout.write(`  ${holds ? 'ok  ' : 'FAIL'} ${what}\n`);
  if (!holds) process.exitCode = 1;
}

async function call(host: Host, name: string, args: unknown): Promise<CallResult> {
  const result = await host.call({ name, arguments: args });
  show(name, args, result);
  return result;
}

/** Resolves at the next change of this plugin that the catalog tells of. */
function nextUpdate(host: Host, name: string, state: string): Promise<void> {
  return new Promise((resolve) => {
    const listener = (entry: { readonly name: string; readonly state: string }) => {
      if (entry.name !== name || entry.state !== state) return;
      host.catalog.off('update', listener);
      resolve();
    };
    host.catalog.on('update', listener);
  });
}

async function writePlugin(root: string, name: string, schema: unknown, code: string): Promise<void> {
  const staging = await mkdtemp(path.join(tmpdir(), 'glovebox-demo-plugin-'));
  await writeFile(path.join(staging, 'schema.json'), JSON.stringify(schema, null, 2));
  await writeFile(path.join(staging, 'index.ts'), code);
  await cp(staging, path.join(root, name), { recursive: true });
  await rm(staging, { recursive: true });
}

const GREETING = {
  description: 'Greets somebody by name. Use it when the user asks for a greeting. Example: {"name": "Ada"}.',
  parameters: {
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
    additionalProperties: false,
  },
};

async function realCalls(host: Host): Promise<void> {
  title('Real tools, called as a model would');
  expect(
    '2 ^ 100 comes out exactly',
    (await call(host, 'calculator', { expression: '2 ^ 100' })).content.includes(
      '1267650600228229401496703205376',
    ),
  );
  expect(
    'miles become kilometres',
    (await call(host, 'convert_units', { value: 26.2, from: 'mi', to: 'km' })).ok,
  );
  expect(
    'Markdown becomes HTML',
    (await call(host, 'markdown_to_html', { markdown: '# Hi' })).content.includes('<h1>Hi</h1>'),
  );
  const wrong = await host.call({ name: 'calculator', arguments: '{"expresion": "1 + 1"}' });
  show('calculator', '{"expresion": "1 + 1"}', wrong);
  expect(
    'a wrong argument is explained, and nothing ran',
    !wrong.ok && wrong.error.outcome === 'did_not_run',
  );
}

/** The memory that this process holds, in MiB. */
const memory = () => Math.round(process.memoryUsage.rss() / 1_048_576);

async function liveEditing(host: Host, root: string): Promise<void> {
  const entry = path.join(root, 'greet', 'index.ts');
  title('A plugin dropped in while the host runs');
  let update = nextUpdate(host, 'greet', 'ready');
  await writePlugin(
    root,
    'greet',
    GREETING,
    "export default ({ name }: { name: string }) => 'Hello, ' + name + '!';\n",
  );
  await update;
  expect('it answers', (await call(host, 'greet', { name: 'Ada' })).content === 'Hello, Ada!');

  title('The same plugin, edited');
  update = nextUpdate(host, 'greet', 'ready');
  await writeFile(entry, "export default ({ name }: { name: string }) => 'Good evening, ' + name + '.';\n");
  await update;
  expect(
    'the new code answers',
    (await call(host, 'greet', { name: 'Ada' })).content === 'Good evening, Ada.',
  );

  title('The same plugin, broken');
  update = nextUpdate(host, 'greet', 'broken');
  await writeFile(entry, "export default ({ name }) => 'Good night, ' + (name;\n");
  await update;
  const broken = host.catalog.get('greet');
  process.stdout.write(
    `  the catalog says: ${broken?.state}, ${broken?.problems.map(({ file, line, message }) => `${file}:${line} ${message}`).join('; ')}\n`,
  );
  expect(
    'the last good version goes on serving',
    (await call(host, 'greet', { name: 'Ada' })).content === 'Good evening, Ada.',
  );

  title('The same plugin, deleted');
  const removal = once(host.catalog, 'remove');
  await rm(path.join(root, 'greet'), { recursive: true });
  await removal;
  const gone = await call(host, 'greet', { name: 'Ada' });
  expect('it is unknown now', !gone.ok && gone.error.code === 'unknown_tool');
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const HOSTILE = `
export default async ({ how }: { how: string }) => {
  if (how === 'loop') for (;;) {}
  if (how === 'native loop') return [].lastIndexOf.call({ length: Number.MAX_SAFE_INTEGER }, 1);
  if (how === 'memory') { const all = new Map(); for (let i = 0; ; i++) all.set(i, [i]); }
  if (how === 'escape') return Function('return typeof process.getBuiltinModule + typeof require')();
  if (how === 'files') return (await import('node:fs/promises')).readFile('/etc/passwd', 'utf8');
  if (how === 'flood') return 'x'.repeat(100_000_000);
};
`;

async function attacks(host: Host, root: string): Promise<void> {
  title('A hostile plugin');
  const before = memory();
  const update = nextUpdate(host, 'hostile', 'ready');
  await writePlugin(
    root,
    'hostile',
    {
      description: 'Attacks the host in the way that it is told.',
      parameters: { type: 'object', properties: { how: { type: 'string' } } },
      limits: { cpuMs: 300 },
    },
    HOSTILE,
  );
  await update;
  for (const how of ['loop', 'native loop', 'memory', 'escape', 'files', 'flood']) {
    const attack = call(host, 'hostile', { how });
    const neighbour = await host.call({
      name: 'convert_units',
      arguments: { value: 1, from: 'km', to: 'm' },
    });
    const result = await attack;
    expect(
      `"${how}" got ${result.ok ? `an answer (${result.content})` : result.error.code}, a neighbour's call went through`,
      neighbour.ok && (!result.ok || result.content === 'undefinedundefined'),
    );
  }
  const grown = memory() - before;
  expect(
    `the host (pid ${process.pid}, since ${process.uptime().toFixed(1)} s) grew by ${grown} MB`,
    grown < MAX_GROWTH_MB,
  );
  expect(
    'and still answers',
    (await host.call({ name: 'calculator', arguments: { expression: '6 * 7' } })).content === '42',
  );
}

const deadline = setTimeout(() => {
  process.stdout.write(`\nNot done after ${DEADLINE_MS / 1000} s: something hangs.\n`);
  process.exit(1);
}, DEADLINE_MS);
let workers: readonly number[] = [];
const root = await mkdtemp(path.join(tmpdir(), 'glovebox-demo-'));
try {
  title('Loading the plugins that come with Glovebox');
  await using host = await createHost({ config: { plugins: [SHIPPED, root], watch: true } });
  await host.ready;
  process.stdout.write(
    `  ${host.catalog
      .tools()
      .map(({ manifest }) => manifest.name)
      .join(', ')}\n`,
  );
  expect(
    'all of them are ready',
    host.catalog.list().every(({ state }) => state === 'ready'),
  );
  await realCalls(host);
  await liveEditing(host, root);
  await attacks(host, root);
  workers = host.workers().map(({ pid }) => pid);
} finally {
  await rm(root, { recursive: true, force: true });
}
title('The end');
expect(`all ${workers.length} worker processes are gone`, workers.length > 0 && !workers.some(lives));
clearTimeout(deadline);
process.stdout.write(
  process.exitCode === 1 ? '\nSomething above is not as it should be.\n' : '\nAll as it should be.\n',
);

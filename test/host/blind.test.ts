import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { answering, SCHEMA, temporaryRoot, writePlugin } from './temporary-plugins.ts';

const CORE = path.join(import.meta.dirname, '../../core/index.ts');
const WATCHES = 20;

/** A user namespace of its own, in which there may be few watches. Not every machine lets us make one. */
const underFewWatches = (program: string) =>
  spawnSync(
    'unshare',
    ['-Ur', 'sh', '-c', `echo ${WATCHES} > /proc/sys/user/max_inotify_watches && exec ${program}`],
    { encoding: 'utf8', timeout: 60_000 },
  );

const isPossible = underFewWatches('true').status === 0;

it.skipIf(!isPossible).each([
  ['loaded', 1_000],
  ['only listed', 2],
])(
  'follows plugins that are %s when the system gives too few watches, and says so',
  async (_which, deferAbove) => {
    await using root = await temporaryRoot();
    const plugins = path.join(root.dir, 'plugins');
    for (let index = 0; index < 2 * WATCHES; index += 1)
      await writePlugin(plugins, `tool_${index}`, answering(`this is ${index}`));
    const changed = JSON.stringify({ ...SCHEMA, description: 'Another description.' });
    const program = `
    import { once } from 'node:events';
    import { rm, writeFile } from 'node:fs/promises';
    import { createHost } from ${JSON.stringify(CORE)};
    const problems = [];
    const config = { plugins: ${JSON.stringify(plugins)}, deferAbove: ${deferAbove} };
    const host = await createHost({ config, onProblem: ({ message }) => problems.push(message) });
    await host.ready;
    const updated = once(host.catalog, 'update');
    await writeFile(${JSON.stringify(path.join(plugins, 'tool_39/schema.json'))}, ${JSON.stringify(changed)});
    const [{ name, tool }] = await updated;
    const removed = once(host.catalog, 'remove');
    await rm(${JSON.stringify(path.join(plugins, 'tool_38'))}, { recursive: true });
    const [gone] = await removed;
    const { content } = await host.call({ name: 'tool_37' });
    await host.close();
    process.stdout.write(JSON.stringify({ problems, name, description: tool.manifest.description, gone, content }));
  `;
    const file = path.join(root.dir, 'program.mjs');
    await writeFile(file, program);
    const { stdout, stderr, status } = underFewWatches(`'${process.execPath}' --no-warnings '${file}'`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      problems: expect.arrayContaining([expect.stringContaining('max_user_watches')]),
      ...{ name: 'tool_39', description: 'Another description.', gone: 'tool_38', content: 'this is 37' },
    });
  },
);

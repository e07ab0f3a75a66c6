import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRegistry } from '../install/tarballs.ts';
import { answers, PLAIN, WEATHER, workplace } from './strangers.ts';

const RUNS = 'node -e "require(\'fs\').writeFileSync(process.env.CANARY, process.cwd())"';
const SCRIPTS = { preinstall: RUNS, install: RUNS, postinstall: RUNS, prepare: RUNS, prepack: RUNS };

let registry: Awaited<ReturnType<typeof startRegistry>>;
beforeAll(async () => {
  registry = await startRegistry([
    {
      name: 'weather-tool',
      version: '1.2.3',
      manifest: { scripts: SCRIPTS, dependencies: { phrases: '^2' }, devDependencies: { missing: '^1' } },
      files: {
        'schema.json': JSON.stringify(WEATHER),
        'index.js': "import { phrase } from 'phrases'; export default () => phrase;",
      },
    },
    {
      name: 'phrases',
      version: '2.0.1',
      manifest: { scripts: SCRIPTS, main: 'index.js', bin: 'index.js' },
      files: { 'index.js': "export const phrase = 'from a package';" },
    },
    {
      name: '@acme/kit',
      version: '0.1.0',
      manifest: { dependencies: { phrases: '2.0.1' } },
      files: {
        'glovebox/one/schema.json': JSON.stringify(PLAIN),
        'glovebox/one/index.js': "import { phrase } from 'phrases'; export default () => phrase;",
        'glovebox/two/schema.json': JSON.stringify(PLAIN),
        'glovebox/two/index.js': answers('two'),
      },
    },
    {
      name: 'sneaky',
      version: '1.0.0',
      manifest: { dependencies: { inside: 'file:../../../../etc' } },
      files: { 'schema.json': JSON.stringify(PLAIN), 'index.js': answers('x') },
    },
    {
      name: 'lacking',
      version: '1.0.0',
      manifest: { dependencies: { 'not-in-this-registry': '^1' } },
      files: { 'schema.json': JSON.stringify(PLAIN), 'index.js': answers('x') },
    },
  ]);
});
afterAll(() => registry[Symbol.asyncDispose]());

async function workplaceWithRegistry() {
  const place = await workplace();
  const env = {
    npm_config_registry: registry.url,
    npm_config_cache: place.at('npm-cache'),
    npm_config_userconfig: place.at('none.npmrc'),
    npm_config_fetch_retries: '0',
    CANARY: place.at('canary'),
  };
  return { ...place, add: (...args: string[]) => place.glovebox(['add', ...args], { env }) };
}

describe('glovebox add with an npm package', { timeout: 120_000 }, () => {
  it('fetches it with the packages it depends on, and runs none of their scripts', async () => {
    await using place = await workplaceWithRegistry();
    const { code, stdout, stderr } = await place.add('weather-tool', '--yes');
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/the npm package weather-tool@1\.2\.3/);
    expect(stdout).toMatch(/phrases@2\.0\.1/);
    expect(await place.glovebox(['call', 'weather-tool'])).toMatchObject({ stdout: 'from a package\n' });
    expect(await readdir(place.dir)).not.toContain('canary');
    const installed = await readdir(place.at('strangers/weather-tool'));
    expect(installed.sort()).toEqual(['index.js', 'node_modules', 'package.json', 'schema.json']);
    expect(await readdir(place.at('strangers/weather-tool/node_modules'))).toEqual(['phrases']);
    expect(JSON.parse(await place.read('strangers/weather-tool/package.json')).scripts).toEqual(SCRIPTS);
  });

  it('gives each of several plugins in a package what the package depends on', async () => {
    await using place = await workplaceWithRegistry();
    expect(await place.add('@acme/kit@0.1.0', '--yes')).toMatchObject({ code: 0 });
    expect(await place.glovebox(['call', 'one'])).toMatchObject({ stdout: 'from a package\n' });
    expect(await place.glovebox(['call', 'two'])).toMatchObject({ stdout: 'two\n' });
  });

  it('installs what a directory depends on and does not bring', async () => {
    await using place = await workplaceWithRegistry();
    await place.write({
      'src/here/package.json': { name: 'here', dependencies: { phrases: '^2' }, scripts: SCRIPTS },
      'src/here/schema.json': PLAIN,
      'src/here/index.js': "import { phrase } from 'phrases'; export default () => phrase;",
    });
    expect(await place.add('src/here', '--yes')).toMatchObject({ code: 0 });
    expect(await place.glovebox(['call', 'here'])).toMatchObject({ stdout: 'from a package\n' });
    expect(await readdir(place.dir)).not.toContain('canary');
    expect(await readdir(place.at('src/here'))).not.toContain('node_modules');
  });

  it.each([
    ['sneaky', /takes "inside" from "file:.*only versions from the registry/],
    ['lacking', /could not install its packages/],
    ['nowhere-to-be-found', /could not fetch nowhere-to-be-found/],
    ['weather-tool@9', /could not fetch weather-tool@9/],
  ])('refuses %s and changes nothing', async (name, reason) => {
    await using place = await workplaceWithRegistry();
    const before = await place.snapshot();
    const { code, stderr } = await place.add(name, '--yes');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(reason) });
    const after = Object.entries(await place.snapshot()).filter(([file]) => !file.startsWith('npm-cache'));
    expect(Object.fromEntries(after)).toEqual(before);
  });

  it('takes a directory before a package of the same name, and the package when it is meant', async () => {
    await using place = await workplaceWithRegistry();
    await place.write({ 'weather-tool/schema.json': PLAIN, 'weather-tool/index.js': answers('mine') });
    const here = await place.add('weather-tool');
    expect(here.stdout).toMatch(/the directory .*weather-tool/);
    const there = await place.add('npm:weather-tool');
    expect(there.stdout).toMatch(/the npm package weather-tool@1\.2\.3/);
  });
});

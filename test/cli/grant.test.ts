import { beforeAll, describe, expect, it } from 'vitest';
import { createHost } from '../../core/index.ts';
import { answers, PLAIN, WEATHER, workplace } from './strangers.ts';

const THEIRS = { plugins: ['./plugins', { dir: './theirs', trust: 'granted' }], audit: false };
const FILES = {
  'plugins/own/schema.json': PLAIN,
  'plugins/own/index.js': answers('own'),
  'theirs/weather/schema.json': WEATHER,
  'theirs/weather/index.js': answers('sunny'),
  'theirs/broken/schema.json': PLAIN,
  'theirs/broken/index.js': 'export default (',
};

async function workplaceWithStrangers(config: unknown = THEIRS) {
  const place = await workplace(config);
  await place.write(FILES);
  return { ...place, grant: (...args: string[]) => place.glovebox(['grant', ...args]) };
}

describe('glovebox grant', { timeout: 120_000 }, () => {
  it('lets a plugin run that was put there by hand, with all that it asks for', async () => {
    await using place = await workplaceWithStrangers();
    expect(await place.glovebox(['call', 'weather'])).toMatchObject({ code: 1 });
    const { code, stdout } = await place.grant('weather', '--yes');
    expect(code).toBe(0);
    expect(stdout).toMatch(/Send GET requests to https:\/\/api\.example\.com/);
    expect((await place.config()).plugins[1].grants).toEqual({ weather: WEATHER.permissions });
    expect(await place.glovebox(['call', 'weather'])).toMatchObject({ stdout: 'sunny\n' });
    expect((await place.grant('weather')).stdout).toMatch(/nothing to change/);
  });

  it('changes nothing without a consent', async () => {
    await using place = await workplaceWithStrangers();
    const before = await place.snapshot();
    const { code, stderr } = await place.grant('weather');
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/nothing was granted: .*--yes/),
    });
    expect(await place.snapshot()).toEqual(before);
  });

  it('shows what has changed since the last consent, which a running host then follows', async () => {
    await using place = await workplaceWithStrangers();
    await place.grant('weather', '--yes');
    await using host = await createHost({ config: place.at('registry.config.json') });
    await host.ready;
    const wider = { ...WEATHER, permissions: { ...WEATHER.permissions, env: ['HOME'] } };
    await place.write({ 'theirs/weather/schema.json': wider, 'theirs/weather/index.js': answers('rain') });
    const { code, stdout } = await place.grant('weather', '--yes', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      changed: true,
      granted: wider.permissions,
      diff: { widened: [expect.stringMatching(/HOME/)] },
    });
    await expect
      .poll(async () => (await host.call({ name: 'weather', arguments: {} })).content, { timeout: 20_000 })
      .toBe('rain');
  });

  it('is what a list of what is held names, in one line for each', async () => {
    await using place = await workplaceWithStrangers();
    const held = async () => (await place.glovebox(['list'])).stdout.match(/^weather .*\n( {2}.*\n)*/m)?.[0];
    const row = 'weather +held +-\\n';
    expect(await held()).toMatch(new RegExp(`^${row}  theirs/weather: .* run: glovebox grant weather\\n$`));
    await place.grant('weather', '--yes');
    await place.write({
      'theirs/weather/schema.json': { ...WEATHER, description: 'Changed.\nIn two lines.' },
    });
    expect(await held()).toMatch(
      new RegExp(`^${row}  theirs/weather: .*has changed .*accept it: glovebox grant weather\\n$`),
    );
  });

  it('grants just what --only says, and with --keep no more than before', async () => {
    await using place = await workplaceWithStrangers();
    const only = ['--only', 'net=GET https://api.example.com/v1/*', 'storage=1KB'];
    const { code, stdout } = await place.grant('weather', ...only, '--yes');
    expect(code).toBe(0);
    const narrow = { net: ['GET https://api.example.com/v1/*'], storage: '1KB' };
    expect((await place.config()).plugins[1].grants.weather).toEqual(narrow);
    expect(stdout).toMatch(/granted not all/);
    await place.write({ 'theirs/weather/index.js': answers('rain') });
    expect(await place.grant('weather', '--keep', '--yes')).toMatchObject({ code: 0 });
    expect((await place.config()).plugins[1].grants.weather).toEqual(narrow);
    expect(await place.glovebox(['call', 'weather'])).toMatchObject({ stdout: 'rain\n' });
  });

  describe('refuses', () => {
    let place: Awaited<ReturnType<typeof workplaceWithStrangers>>;
    beforeAll(async () => {
      place = await workplaceWithStrangers();
      return () => place[Symbol.asyncDispose]();
    });

    it.each<[string[], number, RegExp]>([
      [['wether', '--yes'], 2, /there is no plugin "wether"; did you mean "weather"/],
      [['own', '--yes'], 2, /"own" is under trust "declared"/],
      [['broken', '--yes'], 1, /broken does not load:\s+index\.js/],
      [['weather', '--yes', '--only', 'nets'], 2, /"nets" is no capability; there are net/],
      [['weather', '--yes', '--only', 'read=./x'], 2, /does not ask for read/],
      [['weather', '--yes', '--only', 'net='], 2, /a value must follow/],
      [['weather', '--yes', '--only', 'net=ftp://x'], 2, /\/net\/0/],
      [['weather', '--yes', '--only', 'net', '--keep'], 2, /give one of them/],
      [[], 2, /name/],
    ])('%j with exit code %i', async (args, exit, reason) => {
      const before = await place.snapshot();
      const { code, stderr } = await place.grant(...args);
      expect({ code, stderr }).toEqual({ code: exit, stderr: expect.stringMatching(reason) });
      expect(await place.snapshot()).toEqual(before);
    });
  });
});

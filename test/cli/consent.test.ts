import { describe, expect, it } from 'vitest';
import { answers, WEATHER, workplace } from './strangers.ts';
import { onTerminal } from './terminal.ts';

const FILES = { 'src/weather/schema.json': WEATHER, 'src/weather/index.js': answers('sunny') };
const ADD = 'Add weather? [y]es, [N]o:';
const GRANT = 'Grant all that is asked for above? [y]es, [N]o:';

describe('consent on a terminal', { timeout: 120_000 }, () => {
  it('is asked for, and for the grants by themselves', async () => {
    await using place = await workplace();
    await place.write(FILES);
    const { code, shown } = await onTerminal(['add', 'src/weather'], place.dir, [
      [ADD, 'y\n'],
      [GRANT, 'yes\n'],
    ]);
    expect({ code, shown }).toMatchObject({ code: 0 });
    expect((await place.config()).plugins[1].grants).toEqual({ weather: WEATHER.permissions });
  });

  it('may be given without the grants', async () => {
    await using place = await workplace();
    await place.write(FILES);
    const { code } = await onTerminal(['add', 'src/weather'], place.dir, [
      [ADD, 'y\n'],
      [GRANT, '\n'],
    ]);
    expect(code).toBe(0);
    expect((await place.config()).plugins[1]).toEqual({ dir: './strangers', trust: 'granted' });
  });

  it.each([
    ['no', 'n\n'],
    ['nothing', '\n'],
    ['anything else', 'perhaps\n'],
    ['the end of the input', '\u0004'],
    ['Ctrl-C', '\u0003'],
  ])('is not given by %s: nothing changes', async (_what, answer) => {
    await using place = await workplace();
    await place.write(FILES);
    const before = await place.snapshot();
    const { code } = await onTerminal(['add', 'src/weather'], place.dir, [[ADD, answer]]);
    expect(code).toBe(1);
    expect(await place.snapshot()).toEqual(before);
  });

  it('is not given by a Ctrl-C that comes twice, as under npx, and what was begun is still taken back', async () => {
    await using place = await workplace();
    await place.write(FILES);
    const before = await place.snapshot();
    const { code } = await onTerminal(['add', 'src/weather'], place.dir, [
      [ADD, '\u0003'],
      ['^C', '\u0003'],
    ]);
    expect(code).toBe(1);
    expect(await place.snapshot()).toEqual(before);
  });

  it('is asked for by grant, too', async () => {
    await using place = await workplace();
    await place.write(FILES);
    await place.glovebox(['add', 'src/weather', '--yes']);
    const before = await place.snapshot();
    const question = 'Let this version of weather run, with these grants? [y]es, [N]o:';
    const refused = await onTerminal(['grant', 'weather'], place.dir, [[question, 'n\n']]);
    expect(refused.code).toBe(1);
    expect(await place.snapshot()).toEqual(before);
    const given = await onTerminal(['grant', 'weather'], place.dir, [[question, 'y\n']]);
    expect(given.code).toBe(0);
    expect((await place.config()).plugins[1].grants).toEqual({ weather: WEATHER.permissions });
  });
});

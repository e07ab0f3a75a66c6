import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ConfigChange, editConfig } from '../../core/install/edit-config.ts';

const BASE = path.resolve('/config');
const STRANGERS = path.join(BASE, 'strangers');
const grants = new Map([['weather', { net: ['GET https://api.example.com/*'] }]]);
const edit = (text: string | undefined, dir = STRANGERS, given: ConfigChange['grants'] = grants) =>
  editConfig(text, BASE, { dir, grants: given });

describe('editConfig', () => {
  it('keeps the layout of what it does not touch', () => {
    const text = `{
\t"limits":   { "cpuMs":5 },
\t"plugins": [
\t\t{ "dir": "strangers", "trust": "granted" }
\t],

\t"watch": false
}
`;
    const edited = edit(text);
    expect(edited).toContain('\t"limits":   { "cpuMs":5 },\n\t"plugins": [\n');
    expect(edited).toContain('\n\n\t"watch": false\n}\n');
    expect(JSON.parse(edited).plugins).toEqual([
      { dir: 'strangers', trust: 'granted', grants: Object.fromEntries(grants) },
    ]);
  });

  it('keeps line ends and a byte order mark', () => {
    const edited = edit('\uFEFF{\r\n    "plugins": []\r\n}\r\n');
    expect(edited.startsWith('\uFEFF{\r\n    "plugins"')).toBe(true);
    expect(edited.replaceAll('\r\n', '')).not.toContain('\n');
  });

  it.each<[string, string | undefined, unknown[]]>([
    ['no file', undefined, ['./plugins']],
    ['no list, which stands for the default', '{"watch": false}', ['./plugins']],
    ['one folder instead of a list', '{"plugins": "tools"}', ['tools']],
    ['a list', '{"plugins": ["a", {"dir": "b"}]}', ['a', { dir: 'b' }]],
    ['an empty list', '{"plugins": []}', []],
  ])('adds the directory under trust "granted" to %s', (_what, text, before) => {
    expect(JSON.parse(edit(text)).plugins).toEqual([
      ...before,
      { dir: './strangers', trust: 'granted', grants: Object.fromEntries(grants) },
    ]);
  });

  it('names a directory elsewhere as it is reached from the config', () => {
    const added = (dir: string) => JSON.parse(edit('{"plugins": []}', dir)).plugins[0].dir;
    expect(added(path.resolve('/other/tools'))).toBe('../other/tools');
  });

  it('sets the grants of one plugin and leaves those of others', () => {
    const text = JSON.stringify({
      plugins: [
        { dir: './strangers', trust: 'granted', grants: { weather: { env: ['TZ'] }, other: { env: ['A'] } } },
      ],
    });
    expect(JSON.parse(edit(text)).plugins[0].grants).toEqual({
      ...Object.fromEntries(grants),
      other: { env: ['A'] },
    });
  });

  it('changes nothing where nothing is to be changed', () => {
    const text = '{ "plugins" : [ {"dir":"strangers" , "trust":"granted"}]}';
    expect(edit(text, STRANGERS, new Map())).toBe(text);
  });

  it('writes names that are hard to quote as they are', () => {
    const odd = new Map([['a "b" \\ c.d', { env: ['A'] }]]);
    expect(JSON.parse(edit('{}', STRANGERS, odd)).plugins[1].grants).toEqual(Object.fromEntries(odd));
  });
});

import { describe, expect, it } from 'vitest';
import { Catalog, type SourceState } from '../../core/catalog/catalog.ts';
import type { Tool } from '../../core/catalog/tool.ts';
import { DEFAULT_LIMITS } from '../../core/config/limits.ts';

function tool(name: string, version = '1'): Tool {
  return {
    manifest: {
      name,
      description: '',
      parameters: { type: 'object' },
      examples: [],
      annotations: {},
      permissions: {},
      limits: {},
      state: 'fresh',
      tags: [],
    },
    version,
    origin: 'plugin',
    limits: DEFAULT_LIMITS,
    run: () => Promise.reject(new Error('no test runs it')),
  };
}

function setUp() {
  const catalog = new Catalog();
  const events: string[] = [];
  catalog.on('update', (entry) => events.push(`update ${entry.name} ${entry.state} ${entry.version ?? '-'}`));
  catalog.on('remove', (name) => events.push(`remove ${name}`));
  catalog.on('retire', (old) => events.push(`retire ${old.manifest.name} ${old.version}`));
  const apply = (...updates: readonly (readonly [source: string, state: SourceState])[]) =>
    catalog.apply(updates.map(([source, state]) => ({ source, origin: 'plugin', state })));
  return { catalog, events, apply };
}

const good = (name: string, version = '1'): SourceState => ({ kind: 'good', tool: tool(name, version) });
const broken = (name: string): SourceState => ({ kind: 'broken', name, problems: [{ message: 'it broke' }] });
const gone: SourceState = { kind: 'gone' };

describe('Catalog', () => {
  it('serves the newest good version, keeps it through a broken and a held one, and retires what is replaced', () => {
    const { catalog, events, apply } = setUp();
    apply(['/a', good('x')]);
    apply(['/a', broken('x')]);
    expect(catalog.get('x')).toMatchObject({
      state: 'broken',
      version: '1',
      problems: [{ message: 'it broke' }],
    });
    apply(['/a', { kind: 'held', name: 'x', problems: [{ message: 'it wants more' }] }]);
    expect(catalog.get('x')).toMatchObject({
      state: 'held',
      version: '1',
      problems: [{ message: 'it wants more' }],
    });
    expect(catalog.lookup('x')?.version).toBe('1');
    apply(['/a', good('x', '2')]);
    expect(catalog.get('x')).toMatchObject({ state: 'ready', version: '2', problems: [] });
    apply(['/a', gone]);
    expect(catalog.get('x')).toBeUndefined();
    expect(events).toEqual([
      'update x ready 1',
      'update x broken 1',
      'update x held 1',
      'retire x 1',
      'update x ready 2',
      'retire x 2',
      'remove x',
    ]);
  });

  it('lets the one that was there first go on serving, shows the clash at both, and promotes the other when it is gone', () => {
    const { catalog, events, apply } = setUp();
    apply(['/a', good('x')]);
    apply(['/b', good('x', '2')]);
    expect(catalog.lookup('x')?.version).toBe('1');
    const clash = [{ message: expect.stringMatching(/\/a.*\/b|\/b.*\/a/) }];
    expect(catalog.list()).toMatchObject([
      { dir: '/a', version: '1', problems: clash },
      { dir: '/b', state: 'broken', problems: clash },
    ]);
    events.length = 0;
    apply(['/a', gone]);
    expect(events).toEqual(['retire x 1', 'remove x', 'update x ready 2']);
    expect(catalog.lookup('x')?.version).toBe('2');
  });

  it("never lets a stranger's tool stand in the way of a trusted one of its name", () => {
    const { catalog, apply } = setUp();
    const stranger = (source: string, state: SourceState) => ({
      ...{ source, origin: 'plugin' as const, stranger: true, state },
    });
    catalog.apply([
      stranger('/s', good('x', 'stranger')),
      { source: '/a', origin: 'plugin', state: good('x', 'own') },
    ]);
    expect(catalog.lookup('x')?.version).toBe('own');
    catalog.apply([stranger('/s', good('y', 'stranger'))]);
    apply(['/b', good('y', 'own')]);
    expect(catalog.lookup('y')?.version).toBe('own');
    apply(['/a', good('z')]);
    catalog.apply([stranger('/s', good('z', 'stranger'))]);
    expect(catalog.lookup('z')?.version).toBe('1');
    expect(catalog.list().filter(({ dir }) => dir === '/s')).toMatchObject([
      { state: 'broken', problems: [{ message: expect.stringContaining('belongs to /a') }, {}] },
    ]);
    apply(['/b', gone]);
    expect(catalog.lookup('y')?.version).toBe('stranger');
  });

  it('serves nothing of one whose consent is withdrawn', () => {
    const { catalog, events, apply } = setUp();
    apply(['/a', good('x')]);
    apply(['/a', { kind: 'held', name: 'x', problems: [{ message: 'no' }], withdrawn: true }]);
    expect(catalog.lookup('x')).toBeUndefined();
    expect(catalog.get('x')).toMatchObject({ state: 'held' });
    expect(events).toContain('retire x 1');
  });

  it('serves neither of two that come in one go, until one of them yields', () => {
    const { catalog, apply } = setUp();
    apply(['/a', good('x')], ['/b', good('x', '2')], ['/c', good('y')]);
    expect(catalog.lookup('x')).toBeUndefined();
    expect(catalog.lookup('y')).toBeDefined();
    expect(catalog.list().filter(({ name }) => name === 'x')).toMatchObject([
      { state: 'broken', problems: [{ message: expect.stringContaining('neither is used') }] },
      { state: 'broken', problems: [{ message: expect.stringContaining('neither is used') }] },
    ]);
    apply(['/b', good('z', '2')]);
    expect(catalog.lookup('x')?.version).toBe('1');
    expect(catalog.lookup('z')?.version).toBe('2');
  });

  it('keeps the last good version of one that takes the name of another, and lets it in when that is free', () => {
    const { catalog, apply } = setUp();
    apply(['/a', good('x')], ['/b', good('y')]);
    apply(['/a', good('y', '2')]);
    expect(catalog.lookup('x')?.version).toBe('1');
    expect(catalog.lookup('y')?.version).toBe('1');
    expect(catalog.get('x')).toMatchObject({
      state: 'broken',
      problems: [{ message: 'the new name "y" belongs to /b, so /a goes on as "x". Rename one.' }],
    });
    apply(['/b', gone]);
    expect(catalog.lookup('x')).toBeUndefined();
    expect(catalog.get('y')).toMatchObject({ state: 'ready', version: '2', problems: [] });
  });

  it('lets names move along a chain that comes in one go', () => {
    const { catalog, apply } = setUp();
    apply(['/a', good('x')], ['/b', good('y')], ['/c', good('z')]);
    apply(['/a', good('y', '2')], ['/b', good('z', '2')], ['/c', good('w', '2')]);
    expect(catalog.tools().map((found) => `${found.manifest.name} ${found.version}`)).toEqual([
      'w 2',
      'y 2',
      'z 2',
    ]);
  });

  it('shows a broken one that was never good, without a tool', () => {
    const { catalog, apply } = setUp();
    apply(['/a', broken('x')]);
    expect(catalog.get('x')).toMatchObject({
      state: 'broken',
      dir: '/a',
      problems: [{ message: 'it broke' }],
    });
    expect(catalog.lookup('x')).toBeUndefined();
    apply(['/b', good('x')]);
    expect(catalog.lookup('x')).toBeDefined();
  });

  it('finds nothing under the names of what every object inherits', () => {
    const { catalog, apply } = setUp();
    for (const name of ['constructor', '__proto__', 'toString', '']) {
      expect(catalog.lookup(name)).toBeUndefined();
      expect(catalog.get(name)).toBeUndefined();
    }
    apply(['/a', good('__proto__')]);
    expect(catalog.lookup('__proto__')?.version).toBe('1');
  });

  it('lists by name, whatever the order of arrival', () => {
    const { catalog, apply } = setUp();
    for (const name of ['m', 'Z', 'a', 'é', 'B']) apply([`/${name}`, good(name)]);
    expect(catalog.list().map(({ name }) => name)).toEqual(['B', 'Z', 'a', 'm', 'é']);
  });

  it('stays whole when a listener fails', () => {
    const { catalog, events, apply } = setUp();
    const warnings: string[] = [];
    const onWarning = (warning: Error) => warnings.push(warning.message);
    process.on('warning', onWarning);
    catalog.prependListener('update', () => {
      throw new Error('a listener broke');
    });
    expect(() => apply(['/a', good('x')], ['/b', good('y')])).not.toThrow();
    expect(catalog.tools()).toHaveLength(2);
    apply(['/a', gone]);
    expect(events).toContain('retire x 1');
    process.off('warning', onWarning);
  });
});

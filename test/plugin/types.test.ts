import { execFileSync } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonSchema, Manifest } from '../../core/plugin/manifest.ts';
import { generateTypes, writeTypes } from '../../core/plugin/types.ts';
import { temporaryDirectory, writeFiles } from './temporary-plugin.ts';

function manifest(parameters: JsonSchema, returns?: JsonSchema): Manifest {
  return {
    ...{ name: 'it', description: '', parameters, examples: [], annotations: {}, permissions: {} },
    ...{ limits: {}, state: 'fresh', tags: [] },
    ...(returns === undefined ? {} : { returns }),
  };
}

describe('generateTypes', () => {
  it('declares Arguments, Result and Context so that a plugin typechecks against them', async () => {
    await using root = await temporaryDirectory();
    const types = await generateTypes(
      manifest(
        {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          title: 'Something else',
          type: 'object',
          properties: { place: { $ref: '#/$defs/Context' }, days: { type: 'integer' } },
          required: ['place'],
          additionalProperties: false,
          $defs: {
            Context: { type: 'object', properties: { city: { description: 'a */ b', type: 'string' } } },
          },
        },
        { title: 'Arguments', type: 'object', properties: { high: { type: 'number' } }, required: ['high'] },
      ),
    );
    await writeFiles(root.dir, {
      'schema.d.ts': types,
      'index.ts': `
        import type { Arguments, Context, Result } from './schema.d.ts';
        export default async function (args: Arguments, ctx: Context): Promise<Result> {
          ctx.log.info(args.place.city, ctx.signal.aborted, ctx.session);
          await ctx.storage.set('a', await ctx.tools.call('other', {}));
          // @ts-expect-error: no such argument
          args.nothing;
          return { high: args.days ?? 1 };
        }`,
    });
    const flags = [
      '--noEmit',
      '--ignoreConfig',
      '--strict',
      '--skipLibCheck',
      'false',
      '--target',
      'es2024',
      '--module',
      'nodenext',
    ];
    const run = () =>
      execFileSync(
        path.resolve('node_modules/.bin/tsc'),
        [...flags, '--types', '', '--allowImportingTsExtensions', path.join(root.dir, 'index.ts')],
        { encoding: 'utf8', stdio: 'pipe' },
      );
    expect(run).not.toThrow();
  });

  it.each(['file:///etc/hostname', 'http://127.0.0.1:9/x.json', './other.json', '../../package.json'])(
    'follows no reference to %s',
    async ($ref) => {
      await expect(generateTypes(manifest({ type: 'object', properties: { a: { $ref } } }))).rejects.toThrow(
        'resolve',
      );
    },
  );
});

describe('writeTypes', () => {
  it('writes the file whole, only when it differs, and leaves nothing beside it', async () => {
    await using root = await temporaryDirectory();
    const file = path.join(root.dir, 'schema.d.ts');
    const one = manifest({ type: 'object', properties: { a: { type: 'string' } } });
    expect(await writeTypes(root.dir, one)).toBe('written');
    const { mtimeMs, ino } = await stat(file);
    expect(await writeTypes(root.dir, one)).toBe('unchanged');
    expect(await stat(file)).toMatchObject({ mtimeMs, ino });
    await writeFile(file, 'edited by hand');
    expect(await writeTypes(root.dir, one)).toBe('written');
    expect(await readFile(file, 'utf8')).toContain('a?: string');
    expect(await readdir(root.dir)).toEqual(['schema.d.ts']);
  });
});

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { readManifest } from '../../core/plugin/read-manifest.ts';
import pluginSchema from '../../schemas/plugin.schema.json' with { type: 'json' };
import configSchema from '../../schemas/registry.config.schema.json' with { type: 'json' };
import { PLUGINS_DIR, pluginNames } from '../plugins/by-import.ts';

const validate = new Ajv({ strict: true, strictTypes: false, allowUnionTypes: true })
  .addSchema(configSchema, 'registry.config.schema.json')
  .compile(pluginSchema);

const BASE = { description: 'Does it.', parameters: { type: 'object', properties: {} } };

describe('the schema of schema.json for editors', () => {
  it.each(pluginNames)('accepts %s, which ships with it', (name) => {
    const file: unknown = JSON.parse(readFileSync(path.join(PLUGINS_DIR, name, 'schema.json'), 'utf8'));
    validate(file);
    expect(validate.errors).toBeNull();
  });

  it.each<[Record<string, unknown>, boolean]>([
    [{}, true],
    [{ state: 'session', approval: 'always', tags: ['a'], title: 'T', name: 'n' }, true],
    [{ annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false } }, true],
    [{ limits: { timeoutMs: 1, cpuMs: 1, memoryMb: 8, resultChars: 200, concurrency: 1, queue: 1 } }, true],
    [{ examples: [{ arguments: { a: 1 }, result: 2 }] }, true],
    [{ permissions: { env: ['TZ'], storage: '1.5 MB' } }, true],
    [
      { permissions: { net: ['GET https://api.example.com/*'], tools: ['math.*'], read: ['./data/**'] } },
      true,
    ],
    [{ returns: { type: 'string' } }, true],
    [{ state: 'warm' }, false],
    [{ approval: 'sometimes' }, false],
    [{ annotations: { readonly: true }, state: 'fresh' }, false],
    [{ limits: { timeout: 1 } }, false],
    [{ limits: { cpuMs: '5' } }, false],
    [{ examples: [{ args: {} }] }, false],
    [{ permissions: { network: ['*'] } }, false],
    [{ permissions: { storage: 'much' } }, false],
    [{ tags: 'a' }, false],
    [{ paramters: {} }, false],
  ])('agrees with the loader about %j: %j', (part, accepted) => {
    const file = { ...BASE, ...part };
    const read = readManifest(JSON.stringify(file), { name: 'x' });
    expect({ editor: validate(file), loader: read.ok }).toEqual({ editor: accepted, loader: accepted });
  });
});

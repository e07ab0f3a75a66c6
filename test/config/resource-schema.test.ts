import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { readResource } from '../../core/resources/read-resource.ts';
import configSchema from '../../schemas/registry.config.schema.json' with { type: 'json' };
import resourceSchema from '../../schemas/resource.schema.json' with { type: 'json' };

const validate = new Ajv({ strict: true, strictTypes: false, strictRequired: false, allowUnionTypes: true })
  .addSchema(configSchema, 'registry.config.schema.json')
  .compile(resourceSchema);

describe('the schema of resource.json for editors', () => {
  it.each<[Record<string, unknown>, boolean]>([
    [{ uri: 'docs://guide', file: 'guide.md' }, true],
    [{ uri: 'docs:guide' }, true],
    [{ uri: 'docs://guide', name: 'n', title: 'T', mimeType: 'text/markdown; charset=utf-8' }, true],
    [{ uriTemplate: 'notes://{id}{?lang}', complete: { lang: ['en'] } }, true],
    [{ uri: 'docs://guide', permissions: { read: ['./data/**'] }, limits: { timeoutMs: 1 } }, true],
    [{}, false],
    [{ uri: 'guide' }, false],
    [{ uri: 'docs://{id}' }, false],
    [{ uri: 'docs://a b' }, false],
    [{ uri: 'docs://guide', uriTemplate: 'notes://{id}' }, false],
    [{ uriTemplate: 'notes://all' }, false],
    [{ uriTemplate: 'notes://{id}', file: 'a.md' }, false],
    [{ uri: 'docs://guide', mimeType: 'markdown' }, false],
    [{ uri: 'docs://guide', file: '' }, false],
    [{ uri: 'docs://guide', permissions: { network: [] } }, false],
    [{ uri: 'docs://guide', limits: { timeout: 1 } }, false],
    [{ uriTemplate: 'notes://{id}', complete: { id: 'a' } }, false],
    [{ uri: 'docs://guide', fiel: 'guide.md' }, false],
  ])('agrees with the loader about %j: %j', (part, accepted) => {
    const file = { description: 'Does it.', ...part };
    const read = readResource(JSON.stringify(file), { name: 'x' });
    expect({ editor: validate(file), loader: read.ok }).toEqual({ editor: accepted, loader: accepted });
  });
});

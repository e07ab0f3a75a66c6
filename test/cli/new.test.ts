import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryRoot } from '../host/temporary-plugins.ts';
import { runCli } from './run-cli.ts';

const PACKAGE = path.resolve(import.meta.dirname, '../..');

/** A project with the package, vitest and TypeScript installed. */
async function project() {
  const root = await temporaryRoot();
  const packages = path.join(root.dir, 'node_modules');
  await mkdir(packages);
  await symlink(PACKAGE, path.join(packages, 'glovebox'));
  for (const name of ['vitest', 'vite', 'zod'])
    await symlink(path.join(PACKAGE, 'node_modules', name), path.join(packages, name));
  await writeFile(path.join(root.dir, 'package.json'), '{"type": "module"}');
  const run = (...args: string[]) => runCli(args, { cwd: root.dir });
  const read = (name: string) => readFile(path.join(root.dir, 'plugins', name), 'utf8');
  return { ...root, run, read, [Symbol.asyncDispose]: root[Symbol.asyncDispose] };
}

async function typeErrors(dir: string): Promise<string> {
  const options = {
    ...{ target: 'es2024', module: 'nodenext', strict: true, noEmit: true, allowImportingTsExtensions: true },
    ...{ lib: ['es2024', 'dom', 'dom.iterable', 'esnext.disposable'], types: [], skipLibCheck: true },
  };
  const file = path.join(dir, 'tsconfig.json');
  await writeFile(
    file,
    JSON.stringify({ compilerOptions: options, include: ['plugins'], exclude: ['**/*.test.ts'] }),
  );
  const compiler = path.join(PACKAGE, 'node_modules/typescript/bin/tsc');
  return promisify(execFile)(process.execPath, [compiler, '-p', file]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}

describe('glovebox new', () => {
  it.each([
    ['TypeScript', [], 'index.ts'],
    ['JavaScript', ['--js'], 'index.js'],
  ])(
    'makes a plugin in %s that runs, with types, an example and a test that passes',
    async (_language, flags, entry) => {
      await using made = await project();
      const { code, stdout, stderr } = await made.run('new', 'github/create_issue', ...flags);
      const files = await readdir(path.join(made.dir, 'plugins/github/create_issue'));
      expect(files.sort()).toEqual(
        [entry, entry.replace('index', 'index.test'), 'schema.d.ts', 'schema.json'].sort(),
      );
      expect(code).toBe(0);
      expect(stdout.trimEnd().split('\n').sort()).toEqual(
        files.map((file) => `plugins/github/create_issue/${file}`),
      );
      expect(stderr).toMatch(/^Say in schema\.json .*\nNext: npx glovebox test github\.create_issue/);
      const schema: unknown = JSON.parse(await made.read('github/create_issue/schema.json'));
      expect(schema).toMatchObject({
        examples: [{ arguments: { text: 'hello', times: 2 }, result: 'hello hello' }],
      });
      const call = await made.run('call', 'github.create_issue', '--args', '{"text": "hey", "times": 2}');
      expect(call).toMatchObject({ code: 0, stdout: 'hey hey\n' });
      expect(await made.run('test', 'github.create_issue')).toMatchObject({ code: 0 });
      expect(await typeErrors(made.dir)).toBe('');
    },
    120_000,
  );

  it('makes a wrong name of a field an error of types', async () => {
    await using made = await project();
    await made.run('new', 'greet');
    const file = path.join(made.dir, 'plugins/greet/index.ts');
    await writeFile(file, (await made.read('greet/index.ts')).replace('{ text,', '{ txet: text,'));
    expect(await typeErrors(made.dir)).toMatch(
      /plugins\/greet\/index\.ts\(3,\d+\): error TS2339: Property 'txet'/,
    );
  }, 60_000);

  it('never overwrites, and puts no plugin inside another one', async () => {
    await using made = await project();
    await made.run('new', 'greet');
    await writeFile(path.join(made.dir, 'plugins/greet/index.ts'), 'mine');
    expect(await made.run('new', 'greet')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nothing is overwritten'),
    });
    expect(await made.run('new', 'greet/inner')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is a plugin itself'),
    });
    expect(await made.read('greet/index.ts')).toBe('mine');
    expect((await readdir(path.join(made.dir, 'plugins'), { recursive: true })).join()).not.toContain(
      '.new-',
    );
  });

  it.each([
    [['get weather!'], /What about "get_weather"/],
    [['../out'], /letters, digits/],
    [['a/../../b'], /letters, digits/],
    [['node_modules'], /folder of packages/],
    [['x'.repeat(65)], /64/],
    [['a', '--from', 'x.ts', '--from-openapi', 'y.yaml#z'], /one of them/],
    [['a', '--from', 'nowhere.ts'], /no file nowhere\.ts/],
    [['a', '--server', 'https://x'], /--from-openapi/],
    [['a', '--config', 'nowhere.json'], /nowhere\.json/],
  ])('refuses %j and says why', async (args, reason) => {
    await using made = await project();
    const { code, stderr } = await made.run('new', ...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(reason);
    expect(await readdir(made.dir)).not.toContain('plugins');
  });

  it('makes a plugin around a function as it is, with what it imports', async () => {
    await using made = await project();
    await mkdir(path.join(made.dir, 'src/units'), { recursive: true });
    await writeFile(
      path.join(made.dir, 'src/units/unit.ts'),
      "export type Unit = 'm' | 'km';\nexport const FACTOR = { m: 1, km: 1000 };",
    );
    await writeFile(
      path.join(made.dir, 'src/distance.ts'),
      `import { FACTOR, type Unit } from './units/unit.ts';
/** Converts a distance to metres. Use it for lengths. Not for areas.
 * @param value How much
 * @param unit Its unit
 * @returns Metres
 */
export function toMetres(value: number, unit: Unit = 'm'): number { return value * FACTOR[unit]; }
`,
    );
    const { code } = await made.run('new', 'metres', '--from', 'src/distance.ts');
    expect(code).toBe(0);
    expect(JSON.parse(await made.read('metres/schema.json'))).toMatchObject({
      description: expect.stringContaining('Converts a distance'),
      parameters: {
        properties: {
          value: { type: 'number', description: 'How much' },
          unit: { enum: ['m', 'km'], default: 'm' },
        },
        required: ['value'],
      },
      returns: { type: 'number', description: 'Metres' },
    });
    expect(await made.run('call', 'metres', '--args', '{"value": 2, "unit": "km"}')).toMatchObject({
      code: 0,
      stdout: '2000\n',
    });
    expect(await made.run('test', 'metres')).toMatchObject({ code: 0 });
    expect(await typeErrors(made.dir)).toBe('');
  }, 120_000);

  it('makes a plugin of an OpenAPI operation, which asks the server as the document says', async () => {
    await using made = await project();
    await using api = await petServer();
    await writeFile(path.join(made.dir, 'pets.yaml'), petStore(api.origin));
    const env = { PETS_KEY: 'k3y' };
    expect(await made.run('new', 'pets/show', '--from-openapi', 'pets.yaml#showPet')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('PETS_KEY'),
    });
    expect(
      await made.run('new', 'pets/update', '--js', '--from-openapi', 'pets.yaml#PUT /pets/{petId}'),
    ).toMatchObject({ code: 0 });
    expect(JSON.parse(await made.read('pets/show/schema.json'))).toMatchObject({
      description: expect.stringContaining('Shows a pet.'),
      parameters: {
        properties: {
          petId: { type: 'string', description: 'Of the pet' },
          fields: { type: 'array', items: { enum: ['name', 'age'] } },
          limit: { type: ['integer', 'null'], exclusiveMinimum: 0 },
        },
        required: ['petId'],
        additionalProperties: false,
      },
      annotations: { readOnly: true },
      permissions: {
        net: [`GET ${api.origin}/v1/pets/*`],
        secrets: { PETS_KEY: { header: 'X-Key', for: api.origin } },
      },
    });
    const call = (name: string, args: object) =>
      runCli(['call', name, '--args', JSON.stringify(args)], { cwd: made.dir, env });
    expect(await call('pets.show', { petId: 'a b', fields: ['name', 'age'], trace: 't' })).toMatchObject({
      code: 0,
    });
    expect(
      await call('pets.update', { petId: '7', name: 'Rex', body_petId: 'x', tags: [{ name: 'good' }] }),
    ).toMatchObject({ code: 0 });
    expect(api.requests).toEqual([
      { method: 'GET', url: '/v1/pets/a%20b?fields=name%2Cage', key: 'k3y', trace: 't', body: '' },
      {
        ...{ method: 'PUT', url: '/v1/pets/7', key: 'k3y', trace: undefined },
        body: '{"name":"Rex","petId":"x","tags":[{"name":"good"}]}',
      },
    ]);
    const missing = await call('pets.show', { petId: 'missing' });
    expect(missing.code).toBe(1);
    expect(missing.stdout).toMatch(/404 \(There is no such pet\).*nobody here.*Check the ids/);
    expect((await call('pets.show', { petId: '..' })).stdout).toMatch(/"petId" can't be "\.\."/);
    expect(await made.run('test')).toMatchObject({ code: 0 });
    expect(await typeErrors(made.dir)).toBe('');
  }, 180_000);

  it.each([[], ['--js']])(
    'writes what a hostile document says as data, never as code (%j)',
    async (...flags) => {
      await using made = await project();
      const evil = '« */ ` #{process.exit(9)} \' " \n\u2028 \\'.replace('#', '$');
      const parameter = (name: string, schema: object) => ({ name, in: 'query', description: evil, schema });
      const get = {
        ...{ operationId: 'evil', summary: evil, description: evil },
        parameters: [
          { name: 'x', in: 'path', required: true, schema: { type: 'array', items: { type: 'string' } } },
          parameter(evil, { type: 'string', example: evil }),
          { name: evil, in: 'header', schema: { type: 'string' } },
          parameter('__proto__', { type: 'string' }),
          parameter('filter', { type: 'object', additionalProperties: { type: 'string' } }),
        ],
        responses: { '4XX': { description: evil } },
      };
      const document = {
        ...{ openapi: '3.1.0', info: { title: evil }, servers: [{ url: 'https://api.example.com' }] },
        paths: { '/a`«$(x)\\/{x}:go': { get } },
      };
      await writeFile(path.join(made.dir, 'evil.json'), JSON.stringify(document));
      const { code, stderr } = await made.run('new', 'evil', '--from-openapi', 'evil.json#evil', ...flags);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(await made.run('test', 'evil')).toMatchObject({ code: 0 });
      expect(await typeErrors(made.dir)).toBe('');
    },
    90_000,
  );

  it.each([
    ['no operation', 'pets.yaml', /say which operation.*showPet/s],
    ['one that is not there', 'pets.yaml#showPets', /Did you mean "showPet"/],
    ['a reference to elsewhere', 'remote.json#get', /leads out of the document/],
    ['Swagger 2', 'swagger.json#get', /convert it to OpenAPI 3/],
    ['no server', 'bare.json#get', /--server/],
    ['a file as a body', 'upload.json#put', /application\/octet-stream/],
    ['what is no document', 'package.json#get', /no OpenAPI document/],
  ])('says what is wrong with %s', async (_what, reference, reason) => {
    await using made = await project();
    const write = (name: string, value: object) =>
      writeFile(path.join(made.dir, name), JSON.stringify(value));
    const get = (operation: object) => ({ '/a': { get: { operationId: 'get', ...operation } } });
    const servers = [{ url: 'https://api.example.com' }];
    await writeFile(path.join(made.dir, 'pets.yaml'), petStore('https://pets.example.com'));
    await write('remote.json', {
      ...{ openapi: '3.1.0', servers },
      paths: get({
        parameters: [{ name: 'a', in: 'query', schema: { $ref: 'https://example.com/a.json' } }],
      }),
    });
    await write('swagger.json', { swagger: '2.0', paths: get({}) });
    await write('bare.json', { openapi: '3.1.0', servers: [{ url: '/v1' }], paths: get({}) });
    await write('upload.json', {
      ...{ openapi: '3.1.0', servers },
      paths: {
        '/a': {
          put: {
            operationId: 'put',
            requestBody: { required: true, content: { 'application/octet-stream': {} } },
          },
        },
      },
    });
    const { code, stderr } = await made.run('new', 'a', '--from-openapi', reference);
    expect(code).toBe(2);
    expect(stderr).toMatch(reason);
    expect(await readdir(made.dir)).not.toContain('plugins');
  });
});

const petStore = (origin: string) => `
openapi: 3.0.3
info: { title: Pets API, version: '1' }
servers: [{ url: '${origin}/{version}/', variables: { version: { default: v1 } } }]
security: [{ key: [] }]
paths:
  /pets/{petId}:
    parameters: [{ $ref: '#/components/parameters/PetId' }]
    get:
      operationId: showPet
      summary: Shows a pet
      parameters:
        - { name: fields, in: query, explode: false, schema: { type: array, items: { type: string, enum: [name, age] } } }
        - { name: limit, in: query, schema: { type: integer, format: int32, nullable: true, minimum: 0, exclusiveMinimum: true } }
        - { name: trace, in: header, schema: { type: string } }
      responses: { '200': { description: fine }, '404': { description: There is no such pet. } }
    put:
      summary: Changes a pet
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
      responses: { '200': { description: fine } }
components:
  parameters:
    PetId: { name: petId, in: path, required: true, description: Of the pet, schema: { type: string }, example: p1 }
  securitySchemes: { key: { type: apiKey, in: header, name: X-Key } }
  schemas:
    Pet:
      type: object
      required: [name, id]
      properties:
        id: { type: integer, readOnly: true }
        name: { type: string }
        petId: { type: string }
        parent: { $ref: '#/components/schemas/Pet' }
        tags: { type: array, items: { $ref: '#/components/schemas/Tag' } }
    Tag: { type: object, properties: { name: { type: string } } }
`;

async function petServer() {
  const requests: object[] = [];
  const note = async (request: IncomingMessage) => {
    const { method, url, headers } = request;
    requests.push({ method, url, key: headers['x-key'], trace: headers.trace, body: await text(request) });
  };
  const server = createServer(async (request, response) => {
    const isMissing = request.url?.endsWith('/missing') === true;
    if (!isMissing) await note(request);
    response.writeHead(isMissing ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isMissing ? { message: 'nobody here' } : { name: 'Rex' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listens at a port
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: `http://127.0.0.1:${port}`, requests, [Symbol.asyncDispose]: close };
}

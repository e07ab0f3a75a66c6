import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Header } from 'tar';

export interface TarEntry {
  readonly path: string;
  readonly content?: string | Buffer;
  /** @defaultValue 'File' */
  readonly type?: 'File' | 'Directory' | 'SymbolicLink' | 'Link' | 'CharacterDevice' | 'FIFO';
  readonly linkpath?: string;
  /** What the header claims, where that differs from the content. */
  readonly size?: number;
}

const BLOCK = 512;

/** A tarball with whatever is asked for in it: packers refuse to make what unpackers must refuse to take. */
export function tarball(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap(({ path, content = '', type = 'File', linkpath, size }) => {
    const body = Buffer.from(content);
    const block = Buffer.alloc(BLOCK);
    new Header({
      ...{ path, type, mode: 0o777, mtime: new Date(0), size: size ?? body.length },
      ...(linkpath === undefined ? {} : { linkpath }),
    }).encode(block, 0);
    return [block, body, Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(BLOCK * 2)]));
}

export async function writeTarball(file: string, entries: readonly TarEntry[]): Promise<string> {
  await writeFile(file, tarball(entries));
  return file;
}

export interface PublishedPackage {
  readonly name: string;
  readonly version: string;
  readonly files: Readonly<Record<string, string>>;
  readonly manifest?: Readonly<Record<string, unknown>>;
}

/** A registry of npm packages on loopback. */
export async function startRegistry(packages: readonly PublishedPackage[]) {
  const tarballs = new Map<string, Buffer>();
  const documents = new Map<string, unknown>();
  const server = createServer((request, response) => {
    const place = decodeURIComponent(request.url ?? '');
    const file = tarballs.get(place);
    const document = documents.get(place.slice(1));
    if (file !== undefined) response.end(file);
    else if (document !== undefined)
      response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
    else response.writeHead(404).end('{"error": "not found"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`; // it listens on TCP
  for (const { name, version, files, manifest = {} } of packages) {
    const own = { name, version, ...manifest };
    const packed = tarball(
      Object.entries({ 'package.json': JSON.stringify(own), ...files }).map(([path, content]) => ({
        ...{ path: `package/${path}`, content },
      })),
    );
    const place = `/${name}/-/${name.split('/').at(-1)}-${version}.tgz`;
    tarballs.set(place, packed);
    const integrity = `sha512-${createHash('sha512').update(packed).digest('base64')}`;
    const dist = { tarball: `${url}${place.slice(1)}`, integrity };
    documents.set(name, {
      name,
      'dist-tags': { latest: version },
      versions: { [version]: { ...own, dist } },
    });
  }
  return { url, [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

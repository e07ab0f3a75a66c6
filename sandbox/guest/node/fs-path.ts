/** A path argument as `node:fs` takes it: a string, bytes, or a `file:` URL. */
export function toPath(path: unknown): string {
  const text = typeof path === 'string' ? path : path instanceof Uint8Array ? fromBytes(path) : fromUrl(path);
  if (text === undefined) {
    throw Object.assign(
      new TypeError('The "path" argument must be of type string or an instance of Buffer or URL.'),
      { code: 'ERR_INVALID_ARG_TYPE' },
    );
  }
  if (text.includes('\0')) {
    throw Object.assign(new TypeError('The "path" argument must not hold null bytes.'), {
      code: 'ERR_INVALID_ARG_VALUE',
    });
  }
  return text;
}

function fromBytes(bytes: Uint8Array): string {
  return decodeURIComponent(Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''));
}

function fromUrl(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { protocol, hostname, pathname } = value as {
    protocol?: unknown;
    hostname?: unknown;
    pathname?: unknown;
  };
  if (typeof protocol !== 'string' || typeof pathname !== 'string') return undefined;
  if (protocol !== 'file:') {
    throw Object.assign(new TypeError('The URL must be of scheme file'), { code: 'ERR_INVALID_URL_SCHEME' });
  }
  if ((typeof hostname === 'string' && hostname !== '') || /%2f/i.test(pathname)) {
    throw Object.assign(new TypeError('File URL host must be empty and its path without an encoded /'), {
      code: 'ERR_INVALID_FILE_URL_PATH',
    });
  }
  return decodeURIComponent(pathname);
}

import { failed } from '../outcome.ts';

const MESSAGES: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EBUSY: 'resource busy or locked',
  EEXIST: 'file already exists',
  EFBIG: 'file too large',
  EINVAL: 'invalid argument',
  EIO: 'i/o error',
  EISDIR: 'illegal operation on a directory',
  ELOOP: 'too many symbolic links encountered',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'name too long',
  ENFILE: 'too many open files',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on device',
  ENOTDIR: 'not a directory',
  ENOTEMPTY: 'directory not empty',
  ENXIO: 'no such device or address',
  EPERM: 'operation not permitted',
  EROFS: 'read-only file system',
  EXDEV: 'cross-device link not permitted',
};

/** An error as Node would word it, with paths as the plugin wrote them. */
export function fileError(code: string, operation: string, ...shown: readonly string[]) {
  const paths = shown.map((path) => ` '${path}'`).join(' ->');
  return failed('Error', `${code}: ${MESSAGES[code] ?? 'the operation failed'}, ${operation}${paths}`, code);
}

/** A thrown error of the host's own `fs`, without the host's paths. */
export function fromSystemError(error: unknown, operation: string, ...shown: readonly string[]) {
  const code = codeOf(error);
  return fileError(code !== undefined && Object.hasOwn(MESSAGES, code) ? code : 'EIO', operation, ...shown);
}

export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

import { describe, expect, test } from 'vitest';
import { classifyThrown } from '../../../core/call/errors/classify-thrown.ts';
import type { ThrownError } from '../../../core/sandbox/sandbox.ts';

const error = (message: string, more: Partial<ThrownError> = {}): ThrownError => ({
  name: 'Error',
  message,
  ...more,
});

describe('the kind of a thrown error', () => {
  test.each<[string, ThrownError, string]>([
    ['a missing file', error('ENOENT: no such file', { code: 'ENOENT' }), 'not_found'],
    ['a missing file by its words', error("ENOENT: no such file or directory, open 'x'"), 'not_found'],
    ['a 404', error('HTTP 404'), 'not_found'],
    ['a numeric code', error('nope', { code: '404' }), 'not_found'],
    ['a named class', error('user 5', { name: 'NotFoundError' }), 'not_found'],
    ['words', error('Customer does not exist'), 'not_found'],
    ['a refused file', error('EACCES: permission denied', { code: 'EACCES' }), 'permission'],
    ['a 403', error('status code: 403'), 'permission'],
    ['a claimed denial', error('no', { name: 'NotAllowedError', code: 'permission_denied' }), 'permission'],
    ['a timeout by name', error('x', { name: 'TimeoutError' }), 'timeout'],
    ['a timeout by code', error('x', { code: 'ETIMEDOUT' }), 'timeout'],
    ['an abort', error('This operation was aborted', { name: 'AbortError' }), 'timeout'],
    ['a timeout by words', error('The request timed out'), 'timeout'],
    ['an invalid URL', error('Invalid URL', { name: 'TypeError', code: 'ERR_INVALID_URL' }), 'invalid_value'],
    ['a bad range', error('Invalid time value', { name: 'RangeError' }), 'invalid_value'],
    ['bad JSON', error('Unexpected token x in JSON', { name: 'SyntaxError' }), 'invalid_value'],
    ['a validation library', error('3 issues', { name: 'ZodError' }), 'invalid_value'],
    ['a refused connection', error('connect', { code: 'ECONNREFUSED' }), 'network'],
    ['an unknown host', error('getaddrinfo ENOTFOUND x', { code: 'ENOTFOUND' }), 'network'],
    ['fetch', error('fetch failed', { name: 'TypeError' }), 'network'],
    [
      'fetch and its cause',
      error('fetch failed', { name: 'TypeError', cause: error('x', { code: 'ETIMEDOUT' }) }),
      'network',
    ],
    ['a wrapped cause', error('could not load', { cause: error('x', { code: 'ENOENT' }) }), 'not_found'],
    [
      'an aggregate of one kind',
      error('', {
        name: 'AggregateError',
        errors: [error('a', { code: 'ECONNREFUSED' }), error('b', { code: 'ECONNRESET' })],
      }),
      'network',
    ],
    [
      'an aggregate of several',
      error('', {
        name: 'AggregateError',
        errors: [error('a', { code: 'ENOENT' }), error('b', { code: 'EACCES' })],
      }),
      'unknown',
    ],
    [
      'a bug',
      error("Cannot read properties of undefined (reading 'invalid')", { name: 'TypeError' }),
      'unknown',
    ],
    ['another bug', error('fetchh is not defined', { name: 'ReferenceError' }), 'unknown'],
    ['anything else', error('boom'), 'unknown'],
    ['a thrown text', { name: '', message: 'just text' }, 'unknown'],
    ['a thrown null', { name: '', message: '' }, 'unknown'],
    ['a code of Object.prototype', error('x', { code: 'constructor', name: '__proto__' }), 'unknown'],
  ])('%s', (_title, thrown, kind) => {
    expect(classifyThrown(thrown).kind).toBe(kind);
  });
});

describe('the detail', () => {
  test.each<[ThrownError, string]>([
    [error('boom'), 'boom'],
    [error('bad', { name: 'PaymentError' }), 'PaymentError: bad'],
    [error('', { name: 'PaymentError' }), 'PaymentError'],
    [{ name: '', message: 'just text' }, 'just text'],
    [{ name: '', message: '' }, ''],
    [error('two\n  lines\u2028more'), 'two lines more'],
    [error('outer', { cause: error('inner') }), 'outer (inner)'],
    [error('outer: inner', { cause: error('inner') }), 'outer: inner'],
    [
      error('all failed', { name: 'AggregateError', errors: [error('a'), error('b')] }),
      'AggregateError: all failed (a; b)',
    ],
  ])('of %j is one line', (thrown, detail) => {
    expect(classifyThrown(thrown).detail).toBe(detail);
  });

  test('holds the first 200 characters, whole ones', () => {
    const { detail } = classifyThrown(error('😀'.repeat(1_000)));
    expect([...detail]).toHaveLength(200);
    expect(detail.isWellFormed()).toBe(true);
  });

  test('is redacted before it is cut, so that half a secret is not left over', () => {
    const { detail } = classifyThrown(error(`${'x'.repeat(180)} password=${'s'.repeat(100)}`));
    expect(detail).not.toContain('sss');
  });
});

describe("the host's own denial", () => {
  const denial = {
    name: 'NotAllowedError',
    message: 'net: GET https://x.example is not granted',
    code: 'permission_denied',
  };
  const hostError = (number: number) => (number === 7 ? denial : undefined);

  test('is known by the number of the host call, and told in the words of the host', () => {
    const thrown = error('rewritten by the plugin', { hostCall: 7 });
    expect(classifyThrown(thrown, { hostError })).toEqual({ kind: 'denied', detail: denial.message });
  });

  test('is found inside a cause or an AggregateError', () => {
    expect(classifyThrown(error('x', { cause: error('y', { hostCall: 7 }) }), { hostError }).kind).toBe(
      'denied',
    );
    expect(
      classifyThrown(error('x', { errors: [error('y'), error('z', { hostCall: 7 })] }), { hostError }).kind,
    ).toBe('denied');
  });

  test('cannot be forged by name, code or a wrong number', () => {
    const forged = error(denial.message, { name: denial.name, code: denial.code, hostCall: 8 });
    expect(classifyThrown(forged, { hostError }).kind).toBe('permission');
  });

  test('is told from any other failure of a host call', () => {
    const other = () => ({ name: 'Error', message: 'ENOENT', code: 'ENOENT' });
    expect(classifyThrown(error('x', { code: 'ENOENT', hostCall: 7 }), { hostError: other }).kind).toBe(
      'not_found',
    );
  });
});

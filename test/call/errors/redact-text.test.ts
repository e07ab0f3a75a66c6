import { describe, expect, test } from 'vitest';
import { redactText } from '../../../core/call/errors/redact-text.ts';

// Put together at run time, so that no scanner takes this file for a leak.
const join = (...parts: string[]): string => parts.join('');

describe('what leaves a text', () => {
  test.each<[string, string, string]>([
    ['a bearer token', join('sent Bearer ', 'abcDEF123456.xyz'), 'abcDEF123456'],
    ['basic credentials', join('Authorization: Basic ', 'dXNlcjpwYXNz'), 'dXNlcjpwYXNz'],
    ['a key in a query', 'GET https://x.example/a?api_key=s3cr3tvalue&b=1', 's3cr3tvalue'],
    ['a key in JSON', '{"apiKey": "s3cr3t value", "b": 1}', 's3cr3t value'],
    ['a password assignment', "password='hunter 22'", 'hunter 22'],
    ['an upper-case variable', 'WEATHER_API_KEY=s3cr3tvalue', 's3cr3tvalue'],
    ['a header line', 'x-api-key: s3cr3tvalue', 's3cr3tvalue'],
    ['a connection string', 'connect postgres://admin:hunter22@db.example:5432/prod', 'hunter22'],
    ['where a database is', 'connect postgres://admin:hunter22@db.internal:5432/prod', 'db.internal'],
    ['a database without a password', 'redis://cache.internal:6379/0 refused', 'cache.internal'],
    [
      'a driver and its database',
      'jdbc:sqlserver://db.internal:1433;databaseName=prod failed',
      'db.internal',
    ],
    ['a server in key-value form', 'open Server=db.internal;Database=prod;User Id=sa;', 'db.internal'],
    ['a frame without a place', 'boom\n    at run (/srv/x.js:1:2)\n    at handleRequest', 'handleRequest'],
    ['a password with an @', 'mongodb+srv://u:p@ss@host.example/x', 'p@ss'],
    ['a key-value connection string', 'Server=db;User Id=sa;Password=hunter22;', 'hunter22'],
    ['a storage account', 'DefaultEndpointsProtocol=https;AccountKey=abc123==;', 'abc123'],
    [
      'a private key',
      join('-----BEGIN RSA PRIVATE', ' KEY-----\nMIIEabc\n-----END RSA PRIVATE', ' KEY-----'),
      'MIIEabc',
    ],
    ['a private key that was cut off', join('-----BEGIN PRIVATE', ' KEY-----\nMIIEabc'), 'MIIEabc'],
    ['a web token', join('got eyJhbGciOiJIUzI1NiJ9', '.eyJzdWIiOiIxIn0', '.abc-_123'), 'eyJzdWIiOiIxIn0'],
    ['a model vendor key', join('sk', '-proj-abcdefghijklmnop1234'), 'abcdefghijklmnop1234'],
    ['a code host token', join('gh', 'p_abcdefghijklmnopqrstuvwxyz0123456789'), 'abcdefghijklmnop'],
    ['a cloud key id', join('AKIA', 'ABCDEFGHIJKLMNOP'), 'ABCDEFGHIJKLMNOP'],
    ['a path', "ENOENT: no such file, open '/srv/app/data/x.json'", '/srv/app'],
    ['a path with blanks', 'open "/Users/Jane Doe/My Files/x.json" failed', 'Jane Doe'],
    ['a bare path', 'cannot read /home/me/.ssh/id_rsa: no', '.ssh'],
    ['a path in brackets', 'failed (/opt/app/lib/index.js:10:5)', '/opt/app'],
    ['a home path', 'cannot read ~/secrets/x', 'secrets'],
    ['a drive path', 'open C:\\Users\\me\\x.txt', 'Users'],
    ['a drive path with slashes', 'open D:/work/x.txt now', 'work'],
    ['a share', 'open \\\\server\\share\\x', 'server'],
    ['a file URL', 'import file:///srv/app/x.mjs', '/srv/app'],
    [
      'a stack',
      'boom\n    at run (file:///srv/app/x.js:1:2)\n    at async main (node:internal/x:3:4)',
      'node:internal',
    ],
    ['frames on one line', 'boom at run (x.js:1:2) at Object.<anonymous> (y.js:3:4)', 'y.js'],
    ['a Python frame', 'Traceback:\n  File "/srv/app/x.py", line 3, in f\nValueError', 'x.py'],
  ])('%s', (_title, text, secret) => {
    expect(text).toContain(secret);
    expect(redactText(text)).not.toContain(secret);
  });
});

describe('what stays', () => {
  test.each([
    'The city "Atlantis" was not found.',
    'index.ts:12: x is not defined',
    'GET https://api.weather.gov/points/40,-75?units=si returned 404',
    'use and/or, 1/2, 24/7, km/h',
    'the ratio 3:4 and the time 12:30:45',
    'not allowed: read ./data/**',
    'see docs/guide/setup.md',
    'expected a token, found a comma',
    'Unexpected token } in JSON at position 4',
    'meet at noon',
    'the key must be a string',
    '<b>bold</b> text</p>',
    'a / b // c',
    'the times:\n  at noon\n  at night',
    'server = busy; try again',
    'https://api.example.com:8443/v1 returned 503',
  ])('%s', (text) => {
    expect(redactText(text)).toBe(text);
  });

  test('a path that the model wrote itself', () => {
    const known = JSON.stringify({ path: '/data/x/report.csv', other: 'C:\\tmp\\a.txt' });
    expect(redactText("no file '/data/x/report.csv'", { known })).toContain('/data/x/report.csv');
    expect(redactText('no file C:\\tmp\\a.txt', { known })).toContain('C:\\tmp\\a.txt');
    expect(redactText("no file '/data/x/report.csv' in /srv/app/plugins", { known })).not.toContain(
      '/srv/app',
    );
  });
});

test('time stays linear on texts made to hurt', () => {
  const hostile = [
    'a'.repeat(200_000),
    '/'.repeat(200_000),
    `x${' at'.repeat(70_000)}`,
    'key='.repeat(50_000),
    '"'.repeat(200_000),
    `${'a://'.repeat(50_000)}`,
    '\\'.repeat(200_000),
    `"/${'a/'.repeat(100_000)}`,
    'eyJ'.repeat(60_000),
    '.token'.repeat(30_000),
    '-_'.repeat(100_000),
    'sk-a-a-'.repeat(20_000),
    ` at a${' a'.repeat(80_000)}`,
  ];
  const slowest = Math.max(
    ...hostile.map((text) => {
      const from = performance.now();
      redactText(text);
      return performance.now() - from;
    }),
  );
  // Linear work takes milliseconds here, quadratic work on these lengths many seconds.
  expect(slowest).toBeLessThan(1_000);
});

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { SecretSource } from '../../../core/permissions/secrets/edge.ts';
import { createGuest, policyOf, reference } from '../guest.ts';
import { serve, text } from '../net/server.ts';

const VALUE = 'wx-7f3a/91+Zq=secret';

function guestFor(
  origin: string,
  other: string[] = [],
  secrets: SecretSource = (name) => (name === 'KEY' ? VALUE : undefined),
) {
  const policy = policyOf({
    net: [origin, ...other].map((one) => `${one}/*`),
    secrets: { KEY: { header: 'Authorization', value: `Bearer ${reference('KEY')}`, for: origin } },
  });
  return createGuest({ policy, plugin: 'weather', secrets });
}

describe('secrets', () => {
  it('are added by the host for their own origin and for no other', async () => {
    const own = await serve((_request, response) => text(response, 'own'));
    const other = await serve((_request, response) => text(response, 'other'));
    const guest = guestFor(own.origin, [other.origin]);
    expect(await guest.fetchText(`${own.origin}/a`, { headers: [['authorization', 'mine']] })).toBe('own');
    expect(await guest.fetchText(`${other.origin}/a`)).toBe('other');
    expect(own.seen[0]?.headers.authorization).toBe(`Bearer ${VALUE}`);
    expect(other.seen[0]?.headers.authorization).toBeUndefined();
    expect(guest.uses()).toContainEqual({ capability: 'secrets', target: 'KEY', allowed: true, count: 1 });
    await guest.close();
  });

  it('stay behind when a redirect leaves their origin', async () => {
    const other = await serve((request, response) => text(response, JSON.stringify(request.headers)));
    const own = await serve((_request, response) =>
      response.writeHead(302, { location: other.origin }).end(),
    );
    const guest = guestFor(own.origin, [other.origin]);
    expect(await guest.fetchText(own.origin)).not.toContain('authorization');
    expect(own.seen[0]?.headers.authorization).toBe(`Bearer ${VALUE}`);
    await guest.close();
  });

  it('are redacted when the server echoes them raw, in base64, URL-encoded, in a header or in a redirect', async () => {
    const own = await serve((request, response) => {
      if (request.url === '/start')
        return response.writeHead(302, { location: `/end?k=${encodeURIComponent(VALUE)}` }).end();
      text(
        response,
        [
          VALUE,
          btoa(VALUE),
          btoa(`user:${VALUE}`),
          encodeURIComponent(VALUE),
          JSON.stringify(request.headers),
        ].join('\n'),
        { 'x-echo': VALUE, 'www-authenticate': `Basic ${btoa(VALUE)}` },
      );
    });
    const guest = guestFor(own.origin);
    const opened = JSON.stringify(await guest.open('one', `${own.origin}/start`));
    const seen = `${opened}${String(await guest.body('one'))}${JSON.stringify(guest.uses())}`;
    for (const form of [
      VALUE,
      btoa(VALUE),
      encodeURIComponent(VALUE),
      '7f3a',
      'secret"',
      btoa(`user:${VALUE}`).slice(8, -4),
    ]) {
      expect(seen).not.toContain(form);
    }
    expect(opened).toContain('"x-echo","[redacted]"');
    await guest.close();
  });

  it('are redacted across chunks and inside compressed bodies', async () => {
    const own = await serve(async (request, response) => {
      if (request.url === '/gzip') {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(`zipped ${VALUE} end`));
        return;
      }
      for (const character of `<${VALUE}>`) {
        response.write(character);
        await new Promise((later) => setImmediate(later));
      }
      response.end();
    });
    const guest = guestFor(own.origin);
    expect(await guest.fetchText(`${own.origin}/slow`)).toBe('<[redacted]>');
    expect(await guest.fetchText(`${own.origin}/gzip`)).toBe('zipped [redacted] end');
    await guest.close();
  });

  it('are redacted in a denial that carries them', async () => {
    const own = await serve((_request, response) => {
      response.writeHead(302, { location: `http://elsewhere.example/${VALUE}` }).end();
    });
    const guest = guestFor(own.origin);
    const error = JSON.stringify(await guest.fetchText(own.origin));
    expect(error).toContain('permission_denied');
    expect(error + JSON.stringify(guest.denial(1)) + JSON.stringify(guest.uses())).not.toContain('7f3a');
    await guest.close();
  });

  it('stop the request when the host has no value for them', async () => {
    const own = await serve((_request, response) => text(response, 'own'));
    const guest = guestFor(own.origin, [], () => undefined);
    expect(await guest.fetchText(own.origin)).toMatchObject({ code: 'secret_unavailable' });
    expect(own.seen).toHaveLength(0);
    await guest.close();
  });

  it('can not break out of their header', async () => {
    const own = await serve((_request, response) => text(response, 'own'));
    const guest = guestFor(own.origin, [], () => 'a\r\nX-Evil: 1');
    expect(await guest.fetchText(own.origin)).toMatchObject({ code: 'secret_unavailable' });
    expect(own.seen).toHaveLength(0);
    await guest.close();
  });
});

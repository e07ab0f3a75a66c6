/** The address that is meant, or an error that says what is wrong with it. */
export function readAddress(text: string): string {
  const trimmed = text.trim().replace(/^<(.*)>$/, '$1');
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
  const scheme = /^(mailto|data|file|javascript|ftp):/i.exec(trimmed)?.[1];
  const url = URL.parse(withScheme);
  if (scheme !== undefined || (url !== null && url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new Error(
      `The address must begin with https:// or http://, not with ${scheme ?? url?.protocol.slice(0, -1)}:.`,
    );
  }
  if (url === null || url.hostname === '')
    throw new Error('The address is no URL. Write it whole, like https://example.com/page.');
  if (url.username !== '' || url.password !== '')
    throw new Error('The address must not hold a user name or a password.');
  url.hash = '';
  return url.href;
}

/** tr46 for the URL parser, whose tables (215 kB) are only loaded for a domain that needs them. */

type ToASCII = (domain: string, options: Readonly<Record<string, boolean>>) => string | null;

export const toASCII: ToASCII = (domain, options) => {
  // For such a domain, mapping and validation change nothing but the case.
  if (isPlain(domain)) return domain.toLowerCase();
  // The module that vendor.d.ts declares.
  const tr46 = require('glovebox:tr46') as { readonly toASCII: ToASCII };
  return tr46.toASCII(domain, options);
};

function isPlain(domain: string): boolean {
  return /^[\0-\x7f]*$/.test(domain) && !/xn--/i.test(domain);
}

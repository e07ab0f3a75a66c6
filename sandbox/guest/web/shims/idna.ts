/** tr46 for the URL parser, whose tables (235 kB) are only loaded for a domain that is not ASCII. */

type ToASCII = (domain: string, options: Readonly<Record<string, boolean>>) => string | null;

export const toASCII: ToASCII = (domain, options) => {
  // The bundler resolves the name to tr46 itself; see core/sandbox/guest-vendor.ts.
  const tr46 = require('glovebox:tr46') as { readonly toASCII: ToASCII };
  return tr46.toASCII(domain, options);
};

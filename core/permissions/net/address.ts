import ipaddr from 'ipaddr.js';

export type AddressCheck =
  | { readonly ok: true; readonly address: string; readonly family: 4 | 6 }
  | { readonly ok: false; readonly reason: string };

/** Public by range, but where a cloud answers its own machines. */
const METADATA = new Set(['168.63.129.16']);

const KINDS: Readonly<Record<string, string>> = {
  loopback: 'a loopback address',
  private: 'a private address',
  uniqueLocal: 'a private address',
  linkLocal: 'a link-local address (cloud metadata lives there)',
  carrierGradeNat: 'a shared address of a provider',
  unspecified: 'the unspecified address',
  broadcast: 'a broadcast address',
  multicast: 'a multicast address',
  metadata: 'a cloud metadata address',
};

/** Is the address one of the public internet? Addresses that carry an IPv4 one within them are judged by that one. */
export function checkAddress(text: string): AddressCheck {
  const parsed = parseAddress(text);
  if (!parsed) return { ok: false, reason: 'is no address' };
  const kind = kindOf(parsed);
  if (kind !== 'public') return { ok: false, reason: `is ${KINDS[kind] ?? 'a reserved address'}` };
  return { ok: true, address: text, family: parsed.kind() === 'ipv4' ? 4 : 6 };
}

/** The address in the one form that comparisons use, mapped ones as IPv4; undefined if it is none. */
export function canonicalAddress(text: string): string | undefined {
  const parsed = parseAddress(text.replace(/^\[(.*)\]$/, '$1'));
  if (!parsed) return undefined;
  return isV6(parsed) && parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : parsed.toString();
}

function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  // Only four decimals: what a resolver writes any other way is not to be guessed at.
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (!text.includes(':') || text.includes('%') || !ipaddr.IPv6.isValid(text)) return undefined;
  return ipaddr.IPv6.parse(text);
}

function isV6(address: ipaddr.IPv4 | ipaddr.IPv6): address is ipaddr.IPv6 {
  return address.kind() === 'ipv6';
}

function kindOf(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  if (!isV6(address)) {
    if (METADATA.has(address.toString())) return 'metadata';
    const range = address.range();
    return range === 'unicast' ? 'public' : range;
  }
  const inner = embedded(address);
  if (inner) return kindOf(inner);
  const range = address.range();
  // 2000::/3 is all that is handed out; ranges without a name inside it are tunnels and documentation.
  const global = ((address.parts[0] ?? 0) & 0xe000) === 0x2000;
  return range === 'unicast' && global ? 'public' : range === 'unicast' ? 'reserved' : range;
}

/** The IPv4 address that a mapped, compatible, NAT64 or 6to4 address leads to. */
function embedded(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const parts = address.parts;
  const zero = (from: number, to: number) => parts.slice(from, to).every((part) => part === 0);
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  if (parts[0] === 0x64 && parts[1] === 0xff9b && zero(2, 6)) return fromParts(parts[6], parts[7]);
  if (parts[0] === 0x2002) return fromParts(parts[1], parts[2]);
  if (zero(0, 6) && (parts[6] ?? 0) !== 0) return fromParts(parts[6], parts[7]);
  // ::ffff:0:a.b.c.d, the translated form.
  if (zero(0, 4) && parts[4] === 0xffff && parts[5] === 0) return fromParts(parts[6], parts[7]);
  return undefined;
}

function fromParts(high = 0, low = 0): ipaddr.IPv4 {
  return new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255]);
}

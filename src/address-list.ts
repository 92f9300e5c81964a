import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** The address of every Worker that calls another zone: it stands for anybody, so no list can mean it. */
export const workersAddress = '2a06:98c0:3600::103';

/**
 * Reads addresses and CIDR ranges, IPv4 and IPv6; a mapped address (`::ffff:192.0.2.1`) is its IPv4 one.
 * Throws a TypeError that names the first entry that is neither.
 */
export function parseAddressList(entries: readonly string[]) {
  const ranges = entries.map(parseRange);
  return {
    /** False for text that is not an address, for undefined, and for the address that all Workers share. */
    includes(text: string | undefined): boolean {
      if (text === undefined || !isAddress(text)) return false;
      const address = ipaddr.process(text);
      if (address.toString() === workersAddress) return false;
      return ranges.some(
        ([base, bits]) => address.kind() === base.kind() && address.match(base, bits),
      );
    },
  };
}

/**
 * The network treated as one caller: an IPv4 address is its own; an IPv6 address belongs to its /64 (RFC 6177), whose
 * holder may take any address in it. Text that is not an address stays as it is.
 */
export function networkOf(text: string): string {
  if (!isAddress(text)) return text;
  const address = ipaddr.process(text);
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  const prefix = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${prefix.join(':')}::/64`;
}

function parseRange(entry: string): Range {
  try {
    const [base, bits] = ipaddr.parseCIDR(entry.includes('/') ? entry : withFullPrefix(entry));
    if (base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && bits >= 96) {
      return [base.toIPv4Address(), bits - 96];
    }
    return [base, bits];
  } catch {
    throw new TypeError(`not an address or CIDR range: ${entry}`);
  }
}

function withFullPrefix(address: string): string {
  return `${address}/${isIpv4(address) ? 32 : 128}`;
}

function isAddress(text: string): boolean {
  return isIpv4(text) || ipaddr.IPv6.isValid(text);
}

/** Only the four-part form: the library also reads 127.1, octal parts and single numbers, which are wrong here. */
function isIpv4(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text);
}

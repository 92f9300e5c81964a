import {
  convertIPv4BinaryToString,
  convertIPv4ToBinary,
  convertIPv6BinaryToString,
  convertIPv6ToBinary,
  isIPv4MappedIPv6,
} from 'hono/utils/ipaddr';

/** The address of every Worker that calls another zone. Anybody can use it, so no list includes it. */
export const workersAddress = '2a06:98c0:3600::103';

/**
 * Takes IPv4 and IPv6; a mapped address (`::ffff:192.0.2.1`) counts as its IPv4 one. Throws a TypeError that names the
 * first entry that is neither an address nor a CIDR range.
 */
export function parseAddressList(entries: readonly string[]) {
  const ranges = entries.map(parseRange);
  return {
    includes(text: string | undefined): boolean {
      const address = text === undefined ? undefined : parseAddress(text);
      if (address === undefined || address === anyWorker) return false;
      return ranges.some(
        ({ base, freeBits }) =>
          isIPv4MappedIPv6(address) === isIPv4MappedIPv6(base) &&
          address >> freeBits === base >> freeBits,
      );
    },
  };
}

/**
 * Returns the network that counts as one caller: an IPv4 address, or the /64 of an IPv6 address (RFC 6177), since its
 * holder may take any address in it. Other text stays as it is.
 */
export function networkOf(text: string): string {
  const address = parseAddress(text);
  if (address === undefined) return text;
  if (isIPv4MappedIPv6(address)) return convertIPv4BinaryToString(address & 0xffffffffn);
  return `${convertIPv6BinaryToString((address >> 64n) << 64n)}/64`;
}

function parseRange(entry: string): { base: bigint; freeBits: bigint } {
  const [, text = '', bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const address = parseAddress(text);
  const width = text.includes(':') ? 128 : 32;
  const prefixBits = Number(bits ?? width);
  if (address === undefined || prefixBits > width) {
    throw new TypeError(`not an address or CIDR range: ${entry}`);
  }
  const freeBits = BigInt(width - prefixBits);
  return { base: (address >> freeBits) << freeBits, freeBits };
}

/** 128 bits; an IPv4 address in its mapped form (RFC 4291, section 2.5.5.2). */
function parseAddress(text: string): bigint | undefined {
  try {
    return text.includes(':')
      ? convertIPv6ToBinary(text)
      : (0xffffn << 32n) | convertIPv4ToBinary(text);
  } catch {
    return undefined;
  }
}

const anyWorker = parseAddress(workersAddress);

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Normalizes an IP address: removes the zone id and the port that some proxies add, and converts an IPv4-mapped IPv6
 * address to IPv4. Returns null for any other string. A zone id is a network interface name. ipaddr.js rejects some
 * zone ids that Node.js accepts, such as Docker's `br-1a2b`.
 */
export function normalizeAddress(text: string | undefined): string | null {
  const bare =
    text
      ?.replace(/^\[(.*)\](:\d+)?$/, '$1')
      .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
      .replace(/^([0-9a-f]*:[0-9a-f:.]*)%.*$/i, '$1') ?? '';
  const version = isIP(bare);
  // `isIP` accepts only one notation for IPv4 addresses, but many for IPv6 addresses.
  if (version === 4) return bare;
  return version === 0 ? null : ipaddr.process(bare).toString();
}

/** Returns the network of an address in CIDR notation, such as `203.0.113.0/24`. */
function toCidr(address: string, ipv4Bits: number, ipv6Bits: number): string {
  const ip = ipaddr.parse(address);
  const bits = ip.kind() === 'ipv4' ? ipv4Bits : ipv6Bits;
  const network = ip.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${network.networkAddressFromCIDR(`${address}/${bits}`).toString()}/${bits}`;
}

/**
 * Returns the block that counts as one client: an IPv4 address, or a /64, the smallest network that IPv6
 * clients have (requirement RL-02).
 */
export const addressBlock = (address: string): string => toCidr(address, 32, 64);

/** Returns an approximate address, precise enough for customers to recognize their own sessions. */
export const maskAddress = (address: string): string => toCidr(address, 24, 48);

export const isLoopback = (address: string): boolean =>
  address === '127.0.0.1' || ipaddr.parse(address).range() === 'loopback';

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An address without the port that some proxies add, and an IPv4 address in its own form; null for anything else. */
export function normalizeAddress(text: string | undefined): string | null {
  const bare = text?.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1') ?? '';
  const version = isIP(bare);
  // Node takes IPv4 addresses in one form only; those of IPv6 have many.
  if (version === 4) return bare;
  return version === 0 ? null : ipaddr.process(bare).toString();
}

/** The first bits of an address in CIDR form, such as `203.0.113.0/24`. */
function toCidr(address: string, ipv4Bits: number, ipv6Bits: number): string {
  const ip = ipaddr.parse(address);
  const bits = ip.kind() === 'ipv4' ? ipv4Bits : ipv6Bits;
  const network = ip.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${network.networkAddressFromCIDR(`${address}/${bits}`).toString()}/${bits}`;
}

/** What counts as one client: an IPv4 address, or the /64 that an IPv6 client owns at least (requirement RL-02). */
export const addressBlock = (address: string): string => toCidr(address, 32, 64);

/** Where an address roughly is: enough for customers to know their own sessions again. */
export const maskAddress = (address: string): string => toCidr(address, 24, 48);

/** Whether an address is this machine's own. */
export const isLoopback = (address: string): boolean =>
  address === '127.0.0.1' || ipaddr.parse(address).range() === 'loopback';

import { isIP } from 'node:net';

/** An address range in CIDR notation. */
export interface Cidr {
  version: 4 | 6;
  bits: number;
}

/**
 * Parses a range such as `10.0.0.0/8` or `fd12:3456::/32`. Returns null if it is invalid. Only the common notation is
 * accepted, because parsers disagree on short, octal and hexadecimal IPv4 addresses, on netmasks, on zone ids, and on
 * IPv6 addresses with dots.
 */
export function parseCidr(text: string): Cidr | null {
  const [, address = '', length = ''] = /^([^/%]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const version = /:.*\./.test(address) ? 0 : isIP(address);
  const bits = Number(length);
  return (version === 4 && bits <= 32) || (version === 6 && bits <= 128) ? { version, bits } : null;
}

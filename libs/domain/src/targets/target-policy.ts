import ipaddr from 'ipaddr.js';
import { parseUrl } from '../urls/parse-url.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * The targets to which webhooks can be sent. The same policy applies when an endpoint is created and to every attempt
 * (requirements WH-01 to WH-03).
 */
export interface TargetPolicy {
  /**
   * True allows only https, and rejects loopback addresses, single-label and local names, and internal service ports.
   */
  production: boolean;
  /** CIDR ranges that are allowed in addition to the public internet. */
  allowedCidrs: string[];
}

const TARGET_URL_MAX_LENGTH = 2048;

/** Ports on which internal services usually listen. Production rejects them. */
const internalPorts = new Set([
  22, 23, 25, 53, 111, 135, 139, 445, 465, 587, 1433, 2375, 2376, 2379, 2380, 3306, 3389, 5432, 5672, 6379,
  6443, 8500, 9092, 9200, 9300, 10250, 11211, 15672, 27017,
]);

/**
 * The addresses of metadata services, and of other services that a cloud platform offers to each machine (requirement
 * OP-06). No setting can allow them. All link-local addresses, which most platforms use, are blocked as well.
 */
const metadataRanges = [
  '168.63.129.16/32', // Azure
  '100.100.100.200/32', // Alibaba Cloud
  '192.0.0.192/32', // Oracle Cloud
  'fd00:ec2::/32', // Amazon EC2
  'fd20:ce::254/128', // Google Cloud
  'fd00:42::42/128', // Scaleway
].map((cidr) => ipaddr.parseCIDR(cidr));

/** Common metadata addresses. A NAT64 with its own prefix can embed them in any IPv6 address. */
const embeddedMetadataAddresses = new Set([
  '169.254.0.23',
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
]);

/**
 * The positions of the embedded IPv4 bytes for each NAT64 prefix length. Byte 8 is never used (RFC 6052, section 2.2).
 */
const embeddedBytes = [
  [4, 5, 6, 7],
  [5, 6, 7, 9],
  [6, 7, 9, 10],
  [7, 9, 10, 11],
  [9, 10, 11, 12],
  [12, 13, 14, 15],
];

/**
 * Ranges that no setting can allow: metadata services use link-local addresses, and the other ranges embed IPv4
 * addresses.
 */
const blockedRanges = new Set(['linkLocal', 'ipv4Mapped', 'rfc6145', 'rfc6052', '6to4', 'teredo']);

/**
 * Returns whether requests to this IP address are allowed. Only global unicast is allowed (2000::/3 for IPv6), and
 * outside production also loopback. Mapped, NAT64, 6to4, link-local and metadata addresses are always rejected.
 */
export function isAllowedAddress(address: string, policy: TargetPolicy): boolean {
  if (!ipaddr.isValid(address)) return false;
  const ip = ipaddr.parse(address);
  const range = ip.range();
  if (blockedRanges.has(range) || isMetadataAddress(ip)) return false;
  if (policy.allowedCidrs.some((cidr) => matchesCidr(ip, cidr))) return true;
  if (range === 'loopback') return !policy.production;
  if (range !== 'unicast') return false;
  return ip.kind() === 'ipv4' || matchesCidr(ip, '2000::/3');
}

function isMetadataAddress(ip: Address): boolean {
  if (metadataRanges.some(([range, bits]) => matchesRange(ip, range, bits))) return true;
  if (!(ip instanceof ipaddr.IPv6)) return false;
  const bytes = ip.toByteArray();
  return embeddedBytes.some((indices) =>
    embeddedMetadataAddresses.has(indices.map((index) => bytes[index]).join('.')),
  );
}

/** Parsed ranges. There are few, because all of them are settings or constants. */
const parsedRanges = new Map<string, [Address, number]>();

function matchesCidr(ip: Address, cidr: string): boolean {
  const parsed = parsedRanges.get(cidr) ?? ipaddr.parseCIDR(cidr);
  if (!parsedRanges.has(cidr)) parsedRanges.set(cidr, parsed);
  return matchesRange(ip, ...parsed);
}

const matchesRange = (ip: Address, range: Address, bits: number): boolean =>
  range.kind() === ip.kind() && ip.match(range, bits);

/** Returns the IP address in a URL's host, without brackets; null if the host is a name. */
export function hostIpLiteral(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return ipaddr.isValid(bare) ? bare : null;
}

/** Returns whether a URL's host is localhost or a loopback address. */
export function isLoopbackUrl(url: string): boolean {
  const hostname = parseUrl(url)?.hostname;
  if (hostname === undefined) return false;
  const literal = hostIpLiteral(hostname);
  return literal ? ipaddr.parse(literal).range() === 'loopback' : hostname === 'localhost';
}

/**
 * Returns the problem with a target URL, worded to follow the field name, or null if there is none. The WHATWG parser
 * converts every IPv4 notation to dotted decimal before it is checked.
 */
export function targetUrlProblem(text: string, policy: TargetPolicy): string | null {
  const url = parseUrl(text);
  // The parser encodes non-ASCII characters, so `href` can be longer.
  if (Math.max(text.length, url?.href.length ?? 0) > TARGET_URL_MAX_LENGTH)
    return `must be at most ${TARGET_URL_MAX_LENGTH} characters`;
  if (!url || !['http:', 'https:'].includes(url.protocol)) return 'must be an absolute http or https URL';
  if (policy.production && url.protocol !== 'https:') return 'must use https';
  // The parser removes spaces, tabs and line breaks, but the stored URL must be the URL that is called.
  if (/[\s\\]/.test(text)) return 'must not contain whitespace or backslashes';
  // The parser also removes an empty user name, and accepts a user name after any number of slashes.
  const hasUser = url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/?#]*@/.test(text);
  if (hasUser) return 'must not contain a user name or password';
  if (text.includes('#')) return 'must not contain a fragment';
  const literal = hostIpLiteral(url.hostname);
  if (literal && !isAllowedAddress(literal, policy)) {
    return 'must not point to a private, local or reserved address';
  }
  if (!policy.production) return null;
  if (internalPorts.has(Number(url.port))) return 'must not use a port of a known internal service';
  return literal || isPublicName(url.hostname) ? null : 'must use a public host name';
}

/**
 * Returns a URL as the WHATWG parser serializes it, which is the form that requests use: with a lowercase ASCII
 * host and a path, and without the default port. Returns an invalid URL unchanged.
 */
export const normalizeUrl = (text: string): string => parseUrl(text)?.href ?? text;

function isPublicName(hostname: string): boolean {
  const host = hostname.replace(/\.+$/, '');
  return host.includes('.') && !/\.(localhost|local|internal|home\.arpa)$/.test(host);
}

import ipaddr from 'ipaddr.js';

/** What a webhook target may be; the same policy stands at creation and at every attempt (WH-01 to WH-03). */
export interface TargetPolicy {
  /** Production: https only, no loopback, no single-label or local names, no ports of internal services. */
  production: boolean;
  /** CIDR ranges that are open besides the public internet. */
  allowedCidrs: string[];
}

const TARGET_URL_MAX_LENGTH = 2048;

/** Ports on which internal services usually listen; refused in production. */
const internalPorts = new Set([
  22, 23, 25, 53, 111, 135, 139, 445, 465, 587, 1433, 2375, 2376, 2379, 2380, 3306, 3389, 5432, 5672, 6379,
  6443, 8500, 9092, 9200, 9300, 10250, 11211, 15672, 27017,
]);

/** A cloud platform's metadata and agent address inside global unicast space. */
const blockedUnicastAddresses = new Set(['168.63.129.16']);

/** Ranges that no setting opens: link-local holds metadata services, the others disguise IPv4 addresses. */
const blockedRanges = new Set(['linkLocal', 'ipv4Mapped', 'rfc6145', 'rfc6052', '6to4', 'teredo']);

/**
 * Whether a request may go to this IP address: global unicast only, and for IPv6 2000::/3 only; mapped, NAT64
 * and 6to4 forms are refused outright. Outside production loopback is open. Link-local never is.
 */
export function isAllowedAddress(address: string, policy: TargetPolicy): boolean {
  if (!ipaddr.isValid(address)) return false;
  const ip = ipaddr.parse(address);
  const range = ip.range();
  if (blockedRanges.has(range)) return false;
  if (policy.allowedCidrs.some((cidr) => matchesCidr(ip, cidr))) return true;
  if (range === 'loopback') return !policy.production;
  if (range !== 'unicast' || blockedUnicastAddresses.has(ip.toString())) return false;
  return ip.kind() === 'ipv4' || matchesCidr(ip, '2000::/3');
}

function matchesCidr(ip: ipaddr.IPv4 | ipaddr.IPv6, cidr: string): boolean {
  const [range, bits] = ipaddr.parseCIDR(cidr);
  return range.kind() === ip.kind() && ip.match(range, bits);
}

/** The IP literal that stands in a URL as its host, without brackets, or null when it is a name. */
export function hostIpLiteral(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return ipaddr.isValid(bare) ? bare : null;
}

/**
 * What is wrong with a target URL, as a sentence for the caller, or null when nothing is.
 * The WHATWG parser turns every notation of an IPv4 address into dotted decimal before it is looked at.
 */
export function targetUrlProblem(text: string, policy: TargetPolicy): string | null {
  if (text.length > TARGET_URL_MAX_LENGTH) return `must be at most ${TARGET_URL_MAX_LENGTH} characters`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol)) return 'must be an absolute http or https URL';
  if (policy.production && url.protocol !== 'https:') return 'must use https';
  // The parser drops blanks, tabs and line breaks; what is stored must be what is called.
  if (/[\s\\]/.test(text)) return 'must not contain whitespace or backslashes';
  // The parser also drops an empty user name, and reads one behind any number of slashes.
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

function isPublicName(hostname: string): boolean {
  const host = hostname.replace(/\.+$/, '');
  return host.includes('.') && !/\.(localhost|local|internal|home\.arpa)$/.test(host);
}

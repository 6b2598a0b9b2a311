import { getDomain } from 'tldts';
import { isPageOrigin, isPageUrl } from '../urls/page-url.js';
import type { ProjectSettings } from './project-settings.js';

const WILDCARD = 'https://*.';

/** Scheme, wildcard label, lowercase host, port, path and query, without a fragment or a second `*`. */
const wildcardPattern =
  /^https:\/\/\*\.((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)((?:[:/?][^#*]*)?)$/;

/**
 * Scheme, first label, the other labels of the host, and everything after the host. The first label contains only
 * letters, digits and hyphens, and is not an A-label (RFC 5890, section 2.3.2.1).
 */
const candidatePattern =
  /^https:\/\/(?!xn--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.([a-z0-9.-]+)((?:[:/?#].*)?)$/i;

/**
 * The scheme and host of a loopback address, followed by the port. `localhost` is excluded because it may resolve to
 * another address.
 */
const loopbackPattern = /^(http:\/\/(?:127\.0\.0\.1|\[::1\])):\d+(?=[/?#]|$)/;

/** Returns whether the host in an `allowedOrigins` or `redirectUrls` entry begins with a wildcard label. */
export const isWildcard = (entry: string): boolean => entry.startsWith(WILDCARD);

/** Returns whether `allowedOrigins` may contain the string: an origin, or an https origin with a wildcard label. */
export const isOriginEntry = (text: string): boolean =>
  isPageOrigin(text) || isValidWildcard(isPageOrigin, text);

/** Returns whether `redirectUrls` may contain the string: a page URL, or an https URL with a wildcard label. */
export const isRedirectUrlEntry = (text: string): boolean =>
  isPageUrl(text) || isValidWildcard(isPageUrl, text);

/** Returns whether pages with this origin may send requests to a project. */
export const isOriginAllowed = (
  { allowedOrigins }: Pick<ProjectSettings, 'allowedOrigins'>,
  origin: string,
): boolean => allowedOrigins.length === 0 || isListed(allowedOrigins, isPageOrigin, origin);

/**
 * Returns whether a hosted page or a link in an email may lead to a URL. A loopback address may have any port, because
 * desktop apps listen on a port that the operating system assigns (RFC 8252, section 7.3).
 */
export const isRedirectUrlAllowed = (
  { redirectUrls }: Pick<ProjectSettings, 'redirectUrls'>,
  url: string,
): boolean => isListed(redirectUrls, isPageUrl, url) || isListedLoopbackUrl(redirectUrls, url);

/**
 * Returns the redirect URL for emails that a server requests without specifying one: the first entry without a
 * wildcard, or null.
 */
export const defaultRedirectUrl = ({ redirectUrls }: Pick<ProjectSettings, 'redirectUrls'>): string | null =>
  redirectUrls.find((entry) => !isWildcard(entry)) ?? null;

/**
 * Returns whether the string is valid with a label instead of the wildcard, and the wildcard is not directly below a
 * public suffix. Anyone can register a host directly below a suffix such as `com`, `co.uk` or `github.io`.
 */
function isValidWildcard(isValid: (text: string) => boolean, text: string): boolean {
  const host = wildcardPattern.exec(text)?.[1];
  if (host === undefined || !isValid(text.replace('*', 'label'))) return false;
  return getDomain(host, { allowPrivateDomains: true }) !== null;
}

function isListed(entries: string[], isValid: (text: string) => boolean, candidate: string): boolean {
  if (!isValid(candidate)) return false;
  return entries.some((entry) => (isWildcard(entry) ? matches(entry, candidate) : entry === candidate));
}

function isListedLoopbackUrl(entries: string[], candidate: string): boolean {
  const withoutPort = (url: string): string => url.replace(loopbackPattern, '$1');
  return isPageUrl(candidate) && entries.some((entry) => withoutPort(entry) === withoutPort(candidate));
}

/** Compares everything after the first label: the host case-insensitively, the rest exactly. */
function matches(entry: string, candidate: string): boolean {
  const [, host, rest] = wildcardPattern.exec(entry) ?? [];
  const [, candidateHost, candidateRest] = candidatePattern.exec(candidate) ?? [];
  return host !== undefined && host === candidateHost?.toLowerCase() && rest === candidateRest;
}

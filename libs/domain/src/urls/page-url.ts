import { parseUrl } from './parse-url.js';

const PAGE_URL_MAX_LENGTH = 2048;

/** The length of `https://`, a host name of 253 characters, and a port. */
const ORIGIN_MAX_LENGTH = 267;

/**
 * A web page's scheme and host. The URL parser alone is too permissive: it also accepts whitespace, line breaks,
 * backslashes, missing slashes and credentials before `@`, and treats `*` as a letter.
 */
const webUrlPattern = /^(https?):\/\/([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d+)?(?=[/?#]|$)/i;

/** An app's custom scheme: a reversed domain name (RFC 8252, section 7.1), and thus never `javascript:` or `data:`. */
const appUrlPattern = /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:\/(?!\/[^/?#]*@)/;

/** Printable ASCII without the characters that a URL must encode (RFC 3986, appendix A). */
const urlCharacters = /^[!#-;=?-[\]_a-z~]+$/;

/** Hosts of the local machine: `localhost` and its subdomains (RFC 6761, section 6.3), 127/8 and [::1]. */
const loopbackHostPattern = /^(([a-z0-9-]+\.)*localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Returns whether a link may point to this URL: an absolute https URL, an http URL on the local machine, or a URL with
 * an app's custom scheme, such as `com.example.app:/welcome`. It can be at most 2048 ASCII characters long, and
 * must not contain credentials.
 */
export function isPageUrl(text: string): boolean {
  const url = text.length <= PAGE_URL_MAX_LENGTH && urlCharacters.test(text) ? parseUrl(text) : null;
  if (!url) return false;
  return appUrlPattern.test(text) || (webUrlPattern.test(text) && isSecureTransport(url));
}

/**
 * Returns whether a logo can be loaded from this URL: it must use https and a host name that is valid in a content
 * security policy.
 */
export const isLogoUrl = (text: string): boolean =>
  isPageUrl(text) && /^https:\/\/[a-z0-9.:-]+([/?#]|$)/i.test(text);

/** Returns whether the string is a web page's origin exactly as browsers send it (RFC 6454, section 6.2). */
export const isPageOrigin = (text: string): boolean =>
  text.length <= ORIGIN_MAX_LENGTH && webUrlPattern.test(text) && parseUrl(text)?.origin === text;

/** Returns whether pages with this origin are protected against modification in transit. */
export function isSecureOrigin(origin: string): boolean {
  const url = parseUrl(origin);
  return url !== null && isSecureTransport(url);
}

const isSecureTransport = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && loopbackHostPattern.test(hostname));

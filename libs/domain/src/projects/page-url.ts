const PAGE_URL_MAX_LENGTH = 2048;

/** `https://`, 253 characters of a host name, and a port. */
const ORIGIN_MAX_LENGTH = 267;

/**
 * Scheme and host of a web page as they are written. The URL parser forgives what is no host here: blanks, line
 * breaks, backslashes, missing slashes and a login before `@`; and it takes `*` for a letter.
 */
const webUrlPattern = /^(https?):\/\/([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d+)?(?=[/?#]|$)/i;

/** An app's own scheme: a domain name in reverse (RFC 8252, section 7.1), so never `javascript:` or `data:`. */
const appUrlPattern = /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:\/(?!\/[^/?#]*@)/;

/** Printable ASCII but what a URL writes otherwise (RFC 3986, appendix A). */
const urlCharacters = /^[!#-;=?-[\]_a-z~]+$/;

/** Names that never leave the machine: `localhost` and those under it (RFC 6761, section 6.3), 127/8, [::1]. */
const loopbackHostPattern = /^(([a-z0-9-]+\.)*localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Where a link may lead: an absolute https URL, an http URL of this machine, or an app's own scheme such as
 * `com.example.app:/welcome`; at most 2048 characters of ASCII, without a login.
 */
export function isPageUrl(text: string): boolean {
  if (text.length > PAGE_URL_MAX_LENGTH || !urlCharacters.test(text) || !URL.canParse(text)) return false;
  return appUrlPattern.test(text) || (webUrlPattern.test(text) && isSecureTransport(new URL(text)));
}

/** Where a logo may come from: https from a host name that a content policy can name. */
export const isLogoUrl = (text: string): boolean =>
  isPageUrl(text) && /^https:\/\/[a-z0-9.:-]+([/?#]|$)/i.test(text);

/** Whether the text is the origin of a web page exactly as browsers send it (RFC 6454, section 6.2). */
export const isPageOrigin = (text: string): boolean =>
  text.length <= ORIGIN_MAX_LENGTH &&
  webUrlPattern.test(text) &&
  URL.canParse(text) &&
  new URL(text).origin === text;

/** Whether nobody on the way can change the pages of this origin. */
export const isSecureOrigin = (origin: string): boolean => isSecureTransport(new URL(origin));

const isSecureTransport = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && loopbackHostPattern.test(hostname));

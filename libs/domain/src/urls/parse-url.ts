import { asciiHost } from './ascii-host.js';

/**
 * A URL whose host is a domain name (URL Standard, section 4.2): everything before its host, and the host without its
 * port.
 */
const hostPattern = /^([\0- ]*(?:https?|wss?|ftp|file):[/\\]*(?:[^/?#\\]*@)?)([^/?#\\:]*)/i;

/**
 * Parses an absolute URL. Returns null if it is invalid, or if UTS 46 rejects its host. The host does not depend on the
 * Node.js version, unlike a host that the Node.js parser has converted (ADR 0099).
 */
export function parseUrl(text: string): URL | null {
  // The Node.js parser removes these characters first.
  const plain = text.replace(/[\t\n\r]/g, '');
  const [matched = '', start = '', host = ''] = hostPattern.exec(plain) ?? [];
  const ascii = asciiHost(host);
  if (ascii === null) return null;
  const converted = `${start}${ascii}${plain.slice(matched.length)}`;
  if (!URL.canParse(converted)) return null;
  const url = new URL(converted);
  // The Node.js parser decodes the host before it converts it.
  const isSame = !host.includes('%') || (!/%[89a-f]/i.test(host) && asciiHost(url.hostname) === url.hostname);
  return isSame ? url : null;
}

/**
 * Parses a URL that an earlier check has accepted.
 * @throws Error if it is invalid
 */
export function parseValidUrl(text: string): URL {
  const url = parseUrl(text);
  if (!url) throw new Error('invalid URL');
  return url;
}

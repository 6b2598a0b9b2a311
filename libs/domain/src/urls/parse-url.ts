import { asciiHost } from './ascii-host.js';

/**
 * Matches a URL with a special scheme (URL Standard, section 4.2): everything before the host, and the host without the
 * port.
 */
const hostPattern = /^([\0- ]*(?:https?|wss?|ftp|file):[/\\]*(?:[^/?#\\]*@)?)([^/?#\\:]*)/i;

/**
 * Parses an absolute URL. Returns null if it is invalid, or if UTS 46 rejects its host. Unlike with the Node.js parser,
 * the resulting host does not depend on the Node.js version (ADR 0099).
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
  // The Node.js parser decodes percent-encoded characters before it converts the host.
  const isSame = !host.includes('%') || (!/%[89a-f]/i.test(host) && asciiHost(url.hostname) === url.hostname);
  return isSame ? url : null;
}

/**
 * Parses a URL that has already been validated.
 * @throws Error if it is invalid
 */
export function parseValidUrl(text: string): URL {
  const url = parseUrl(text);
  if (!url) throw new Error('invalid URL');
  return url;
}

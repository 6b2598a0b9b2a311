import { toASCII, toUnicode } from 'tr46';

/** Maximum length for a host name that is converted. Its ASCII form has at most 253 characters. */
const MAX_LENGTH = 1_000;

const OPTIONS = { checkBidi: true, checkJoiners: true };

/** The only characters in an ASCII form. Host names with an underscore exist beside labels that need encoding. */
const asciiPattern = /^[a-z0-9._-]*$/;

/** Non-ASCII characters, and labels that encode such characters. Only these depend on Unicode tables. */
const unicodePattern = /[^\0-\x7f]|(?:^|\.)xn--/i;

/**
 * Returns a host name in ASCII and in lower case, as UTS 46 converts it: without transitional processing, with the
 * rules for joiners and bidirectional text, and with letters, digits, hyphens and underscores only. Returns null if UTS
 * 46 rejects it. Returns a name without non-ASCII letters in lower case and does not check it.
 *
 * The tables come from a pinned package, because the tables in Node.js change with its version (ADR 0099).
 */
export function asciiHost(host: string): string | null {
  if (!unicodePattern.test(host)) return host.toLowerCase();
  if (host.length > MAX_LENGTH) return null;
  const ascii = toASCII(host, OPTIONS);
  return ascii !== null && asciiPattern.test(ascii) ? ascii : null;
}

/**
 * Returns the current ASCII form for the name behind a stored ASCII form. The two differ if the tables have changed
 * since. Returns null if UTS 46 now rejects the name.
 */
export const currentAsciiHost = (stored: string): string | null =>
  asciiHost(toUnicode(stored, OPTIONS).domain);

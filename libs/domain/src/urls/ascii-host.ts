import { toASCII, toUnicode } from 'tr46';

/** Maximum length of a converted host name. A valid ASCII form has at most 253 characters. */
const MAX_LENGTH = 1_000;

const OPTIONS = { checkBidi: true, checkJoiners: true };

/**
 * The characters in an ASCII form. Underscores are allowed, because some host names combine them with encoded labels.
 */
const asciiPattern = /^[a-z0-9._-]*$/;

/** Non-ASCII characters, and labels that encode them. Only these depend on Unicode tables. */
const unicodePattern = /[^\0-\x7f]|(?:^|\.)xn--/i;

/**
 * Converts a host name to lowercase ASCII as UTS 46 specifies: nontransitional processing, with the rules for joiners
 * and bidirectional text, and only letters, digits, hyphens and underscores. Returns null if UTS 46 rejects it. A host
 * name without non-ASCII characters or encoded labels is only lowercased, and not validated.
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
 * Converts a stored ASCII form to the current one. The two differ if the tables have changed since it was stored.
 * Returns null if UTS 46 now rejects the host name.
 */
export const currentAsciiHost = (stored: string): string | null =>
  asciiHost(toUnicode(stored, OPTIONS).domain);

import { parseValidUrl } from '../urls/parse-url.js';

/**
 * The person who has proven their identity in an exchange: an email address's owner, a person at an identity provider,
 * or a customer who has signed in on a hosted page.
 */
export type ExchangeMethod = 'email' | 'provider' | 'customer';

/**
 * A code's kind. Each kind has one consumer: an application that completes a sign-in (`sign_in`), or the session that
 * links an identity (`link`) or proves its customer's identity again (`reauthenticate`).
 */
export type CodeKind = 'sign_in' | 'link' | 'reauthenticate';

/** The exchange code validity in seconds (sign-in contract, section 2). */
export const EXCHANGE_TTL = 60;

/** Returns whether a string is a PKCE challenge: a SHA-256 hash in base64url (RFC 7636, S256). */
export const isCodeChallenge = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text);

/** Returns the URL with a query parameter added. */
export function withParameter(redirectUrl: string, name: string, value: string): string {
  const url = parseValidUrl(redirectUrl);
  url.searchParams.set(name, value);
  return url.href;
}

/** The target to which a sign-in that ends on a page in Gatehouse redirects. */
export interface ExchangeTarget {
  redirectUrl: string;
  /** The hash of the verifier from the client that began the sign-in (RFC 7636, S256). */
  codeChallenge: string;
  /** The application's state, which the redirect returns. Default: none. */
  state?: string | null;
}

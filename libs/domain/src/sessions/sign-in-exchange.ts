import { parseValidUrl } from '../urls/parse-url.js';

/**
 * The subject of an exchange code: an email address's owner, a user of an identity provider, or a customer who has
 * signed in on a hosted page.
 */
export type ExchangeMethod = 'email' | 'provider' | 'customer';

/**
 * The kind of an exchange code. Each kind has one consumer: an application that completes a sign-in (`sign_in`), or the
 * session that links an identity (`link`) or reauthenticates its customer (`reauthenticate`).
 */
export type CodeKind = 'sign_in' | 'link' | 'reauthenticate';

/** Exchange code validity in seconds (sign-in contract, section 2). */
export const EXCHANGE_TTL = 60;

/** Returns whether a string is a PKCE challenge: a SHA-256 hash in base64url (RFC 7636, S256). */
export const isCodeChallenge = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text);

/** Returns the URL with a query parameter set. */
export function withParameter(redirectUrl: string, name: string, value: string): string {
  const url = parseValidUrl(redirectUrl);
  url.searchParams.set(name, value);
  return url.href;
}

/** The redirect target of a sign-in that ends on a hosted page or with an identity provider. */
export interface ExchangeTarget {
  redirectUrl: string;
  /** The code challenge from the client that started the sign-in (RFC 7636, S256). */
  codeChallenge: string;
  /** The application's state, which the redirect returns. Default: none. */
  state?: string | null;
}

import type { AuthenticationMethod } from './authentication-method.js';

/** The methods of signing in that end on a page, whose application exchanges a code for a session. */
export type ExchangeMethod = Extract<AuthenticationMethod, 'email'>;

/** Validity of the code of an exchange in seconds (sign-in contract, section 2). */
export const EXCHANGE_TTL = 60;

/** Returns whether a text is a PKCE challenge: a SHA-256 hash in base64url (RFC 7636, S256). */
export const isCodeChallenge = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text);

/** Returns the URL with a query parameter added. */
export function withParameter(redirectUrl: string, name: string, value: string): string {
  const url = new URL(redirectUrl);
  url.searchParams.set(name, value);
  return url.href;
}

import type { Request, Response } from 'express';
import { readCookie } from '@gatehouse/auth';
import { newToken, sha256 } from '@gatehouse/platform';

const NAME = '__Host-gatehouse_sign_in';

/**
 * Lifetime of the cookie, in seconds, starting when the browser opens a provider's page. It is longer than any flow.
 */
const MAX_AGE = 60 * 60;

/**
 * Returns the hash of the browser's cookie, and sets the cookie if it is missing. Tabs share the cookie. It is not a
 * session: it only proves that a browser returns from a provider to the page that it started on. It is `Lax`, because
 * the provider redirects from another site.
 */
export function identifyBrowser(request: Request, response: Response): Buffer {
  const value = readCookie(request, NAME) ?? newToken().token;
  const attributes = { path: '/', secure: true, httpOnly: true, sameSite: 'lax' } as const;
  response.cookie(NAME, value, { ...attributes, maxAge: MAX_AGE * 1_000 });
  return sha256(value);
}

/** Returns true if the request comes from the browser whose cookie has this hash. */
export function isFromBrowser(request: Request, browserHash: Buffer | null): boolean {
  const value = readCookie(request, NAME);
  return value !== null && browserHash !== null && sha256(value).equals(browserHash);
}

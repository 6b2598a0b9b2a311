import type { Request, Response } from 'express';
import { readCookie } from '@gatehouse/auth';
import { newToken, sha256 } from '@gatehouse/platform';

const NAME = '__Host-gatehouse_sign_in';

/** Seconds for which a browser keeps its cookie after it has opened a provider. Longer than any flow. */
const MAX_AGE = 60 * 60;

/**
 * Returns the hash of a browser's cookie, which is set if the browser has none. Tabs share the cookie. It is not a
 * session: it only proves that a browser returns from a provider to the page on which it has begun. `Lax`, because
 * the provider redirects from another site.
 */
export function identifyBrowser(request: Request, response: Response): Buffer {
  const value = readCookie(request, NAME) ?? newToken().token;
  const attributes = { path: '/', secure: true, httpOnly: true, sameSite: 'lax' } as const;
  response.cookie(NAME, value, { ...attributes, maxAge: MAX_AGE * 1_000 });
  return sha256(value);
}

/** Returns true if a request comes from the browser whose cookie has the hash. */
export function isFromBrowser(request: Request, browserHash: Buffer | null): boolean {
  const value = readCookie(request, NAME);
  return value !== null && browserHash !== null && sha256(value).equals(browserHash);
}

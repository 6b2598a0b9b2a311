import type { ResolvedOptions } from './options.js';
import { isSecure } from './session-cookies.js';

/**
 * Returns true if a request was sent by a page of this site. Browsers send Sec-Fetch-Site; older browsers and pages on
 * plain http send Origin. Without either header, the sender is unknown.
 */
export function isSameOrigin(options: Pick<ResolvedOptions, 'secureCookies'>, { headers }: Request): boolean {
  const site = headers.get('sec-fetch-site');
  if (site) return site === 'same-origin';
  const host = headers.get('x-forwarded-host') ?? headers.get('host');
  const protocol = isSecure(options, headers) ? 'https' : 'http';
  return host !== null && headers.get('origin') === `${protocol}://${host}`;
}

/** Returns true if a request with this method changes nothing. */
export const isSafeMethod = (method: string): boolean => method === 'GET' || method === 'HEAD';

import type { ResolvedOptions } from './options.js';
import { isSecure } from './session-cookies.js';

/**
 * Returns true if a page on this site has sent a request. Browsers add Sec-Fetch-Site, and older ones and plain http
 * add Origin. Without both, the sender is unknown.
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

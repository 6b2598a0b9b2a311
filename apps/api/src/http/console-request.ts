import { GatehouseError, parseUrl, parseValidUrl } from '@gatehouse/domain';
import type { GatehouseRequest } from './request-context.js';

/** Returns true for the routes that only the console calls. */
export const isConsolePath = (path: string): boolean => path.startsWith('/operator/');

/** Returns true if a request with this method changes nothing. */
export const isSafeMethod = (method: string): boolean => method === 'GET' || method === 'HEAD';

/**
 * Header that a cross-site form cannot send, and that a cross-site script can send only after a preflight,
 * which these routes do not support.
 */
const CONSOLE_HEADER = 'x-gatehouse-console';

/**
 * Rejects changes that do not come from the console itself, because any page can make the browser send the
 * console's cookie (requirement CO-04). The origin may also be the requested host, because a proxy may serve
 * the console under a different host than `publicUrl`, and the cookie belongs to the requested host. If
 * `publicUrl` is https, plain http is not accepted, because an attacker on the network can forge such pages.
 * @throws GatehouseError `cross_site_request`
 */
export function assertFromConsole({ method, headers }: GatehouseRequest, publicUrl: string): void {
  if (isSafeMethod(method)) return;
  const { origin, host, 'sec-fetch-site': site } = headers;
  const isGatehouseOrigin =
    !origin || origin === parseValidUrl(publicUrl).origin || matchesHost(origin, host, publicUrl);
  const isFromConsole =
    headers[CONSOLE_HEADER] === '1' && (!site || site === 'same-origin') && isGatehouseOrigin;
  if (!isFromConsole) throw new GatehouseError('cross_site_request');
}

function matchesHost(origin: string, host: string | undefined, publicUrl: string): boolean {
  const url = parseUrl(origin);
  if (!url) return false;
  const { protocol, host: originHost } = url;
  return originHost === host && (protocol === 'https:' || protocol === parseValidUrl(publicUrl).protocol);
}

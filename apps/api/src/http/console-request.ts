import { GatehouseError } from '@gatehouse/domain';
import type { GatehouseRequest } from './request-context.js';

/** Whether a path is one of those that only the console calls. */
export const isConsolePath = (path: string): boolean => path.startsWith('/operator/');

const safeMethods = new Set(['GET', 'HEAD']);

/** What a form of another site cannot send, and a script of one only after a preflight that nobody answers. */
const CONSOLE_HEADER = 'x-gatehouse-console';

/**
 * Lets changes through that come from the console itself, although every page makes the browser send its cookie
 * (requirement CO-04). The origin may also be that of the host which was asked, since a proxy can have another one
 * than `publicUrl`; the cookie is that host's own. Not by plain http in a house of https: whoever sits on the wire
 * writes such pages as they like.
 * @throws GatehouseError `cross_site_request`
 */
export function assertFromConsole({ method, headers }: GatehouseRequest, publicUrl: string): void {
  if (safeMethods.has(method)) return;
  const { origin, host, 'sec-fetch-site': site } = headers;
  const isOwn = !origin || origin === new URL(publicUrl).origin || matchesHost(origin, host, publicUrl);
  const isFromConsole = headers[CONSOLE_HEADER] === '1' && (!site || site === 'same-origin') && isOwn;
  if (!isFromConsole) throw new GatehouseError('cross_site_request');
}

function matchesHost(origin: string, host: string | undefined, publicUrl: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: own } = new URL(origin);
  return own === host && (protocol === 'https:' || protocol === new URL(publicUrl).protocol);
}

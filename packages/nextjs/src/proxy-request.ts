import type { Deployment } from './deployment.js';
import { handlerRoute } from './handler-route.js';
import { changedCookieHeader, readCookies, serializeCookies } from './session-cookies.js';
import { changesOf, needsRefresh } from './session-refresher.js';

/** The request header with the page's path, which `auth.protect()` uses as the return URL. */
export const PATH_HEADER = 'x-gatehouse-path';

/** The changes to a proxied request and its response. */
export interface ProxiedRequest {
  /** The request headers for pages and routes. */
  headers: Headers;
  /** The Set-Cookie values for the response. */
  setCookies: string[];
}

/** The part of a `NextRequest` that the proxy reads. A plain `Request` has no `nextUrl`. */
export type IncomingRequest = Pick<Request, 'url' | 'headers'> & { nextUrl?: { basePath: string } };

/**
 * Refreshes a request's session if its access token has expired. Never rejects a request: pages and routes protect
 * themselves, because a request can reach them without the proxy.
 */
export async function proxyRequest(
  { options, refresher }: Deployment,
  { url, headers: original, nextUrl }: IncomingRequest,
): Promise<ProxiedRequest> {
  const { pathname, search } = new URL(url);
  const headers = new Headers(original);
  headers.set(PATH_HEADER, pathname + search);
  const cookies = readCookies(options, original);
  // The handler refreshes the session itself. After two refreshes, the token of a concurrent request would be two
  // generations old, and its use would end the session.
  const isHandled = isHandlerPath(pathname, (nextUrl?.basePath ?? '') + options.handlerPath);
  if (isHandled || !cookies.refreshToken || !needsRefresh(cookies, options.now()))
    return { headers, setCookies: [] };
  const refreshed = await refresher.refresh(cookies.refreshToken, original);
  const changes = changesOf(refreshed);
  headers.set('cookie', changedCookieHeader(options, original, changes));
  return { headers, setCookies: serializeCookies(options, original, changes) };
}

/** @param handlerPath the handler path, including the `basePath` */
const isHandlerPath = (pathname: string, handlerPath: string): boolean =>
  pathname.startsWith(`${handlerPath}/`) && handlerRoute(pathname.slice(handlerPath.length)) !== null;

import { NextResponse, type NextRequest } from 'next/server.js';
import { environment, type Deployment } from './deployment.js';
import { proxyRequest } from './proxy-request.js';

/** Refreshes expired access tokens before the page or route runs. It is not a guard. */
export type GatehouseProxy = (request: NextRequest) => Promise<NextResponse>;

/** Returns the function for `proxy.ts`. */
export function createProxy(deployment: () => Deployment): GatehouseProxy {
  return async (request) => {
    const { headers, setCookies } = await proxyRequest(deployment(), request);
    const response = NextResponse.next({ request: { headers } });
    for (const cookie of setCookies) response.headers.append('Set-Cookie', cookie);
    // A static page may be cacheable, and a shared cache must not store a customer's cookies.
    if (setCookies.length > 0) response.headers.set('Cache-Control', 'private, no-store');
    return response;
  };
}

/** The function for `proxy.ts`, with settings from environment variables. */
export const gatehouseProxy = createProxy(environment);

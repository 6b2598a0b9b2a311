import { NextResponse, type NextRequest } from 'next/server.js';
import { environment, type Deployment } from './deployment.js';
import { proxyRequest } from './proxy-request.js';

/** Refreshes expired sessions ahead of pages and routes. It guards nothing. */
export type GatehouseProxy = (request: NextRequest) => Promise<NextResponse>;

/** Returns the function for `proxy.ts`. */
export function createProxy(deployment: () => Deployment): GatehouseProxy {
  return async (request) => {
    const { headers, setCookies } = await proxyRequest(deployment(), request);
    const response = NextResponse.next({ request: { headers } });
    for (const cookie of setCookies) response.headers.append('Set-Cookie', cookie);
    // The page may be static, and a shared cache must not store a customer's cookies.
    if (setCookies.length > 0) response.headers.set('Cache-Control', 'private, no-store');
    return response;
  };
}

/** The function for `proxy.ts`, with the settings from the environment. */
export const gatehouseProxy = createProxy(environment);

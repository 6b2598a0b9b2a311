import type { AuthConditions } from '@gatehouse/server';
// Node.js cannot load `next/navigation` as an ES module, and `next/navigation.js` works only in client components.
import { redirect } from 'next/dist/client/components/navigation.react-server.js';
import { headers } from 'next/headers.js';
import type { NextRequest } from 'next/server.js';
import type { Auth, AuthSession } from './auth-session.js';
import { environment, type Deployment } from './deployment.js';
import { guardRoute, type AuthHandler } from './guard-route.js';
import { protectPage, readAuth, type ProtectOptions } from './protect-page.js';

/** Reads or requires a customer's session. */
export interface AuthFunction {
  /**
   * Returns the request's session in a server component, route or server function. Never refreshes it.
   * @throws GatehouseError `unavailable` (503) while the public keys cannot be read
   */
  (): Promise<Auth>;

  /**
   * Returns the request's session, or redirects: to the handler, which refreshes an expired access token and
   * redirects back, or to the sign-in page.
   * @throws GatehouseError `unavailable` (503) while the public keys cannot be read; `reauthentication_required` (403)
   *   without `reauthenticationUrl`
   */
  protect: (options?: ProtectOptions) => Promise<AuthSession>;

  /**
   * Returns a route handler for signed-in customers. Responds to other requests with a problem: 401
   * `invalid_access_token`, 403 `reauthentication_required` or `cross_site_request`, or 503 `unavailable`.
   */
  route: <Req extends Request = NextRequest, Context = unknown>(
    conditions: AuthConditions,
    handler: AuthHandler<Req, Context>,
  ) => (request: Req, context: Context) => Promise<Response>;
}

/** Returns the functions that guard pages and routes. */
export function createAuth(deployment: () => Deployment): AuthFunction {
  // Reads the headers first: a build, which has no environment variables, stops rendering the page here.
  const withHeaders = async <Result>(
    work: (deployment: Deployment, headers: Headers) => Promise<Result>,
  ): Promise<Result> => {
    const requestHeaders = await headers();
    return work(deployment(), requestHeaders);
  };
  return Object.assign(() => withHeaders(readAuth), {
    protect: async (options: ProtectOptions = {}) => {
      const result = await withHeaders((current, requestHeaders) =>
        protectPage(current, requestHeaders, options),
      );
      if ('session' in result) return result.session;
      return redirect(result.redirectTo);
    },
    route: <Req extends Request, Context>(conditions: AuthConditions, handler: AuthHandler<Req, Context>) =>
      guardRoute(deployment, conditions, handler),
  });
}

/** Reads or requires a customer's session, with settings from environment variables. */
export const auth = createAuth(environment);

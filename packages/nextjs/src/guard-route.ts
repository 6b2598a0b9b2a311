import { GatehouseError, problemResponse, type AuthConditions } from '@gatehouse/server';
import { verifySession, type AuthSession } from './auth-session.js';
import type { Deployment } from './deployment.js';
import { bearerOf, placeholderSessionId } from './placeholder-tokens.js';
import { crossSiteRequestError, invalidAccessTokenError } from './problems.js';
import { isSafeMethod, isSameOrigin } from './same-origin.js';

/** A route handler for signed-in customers. */
export type AuthHandler<Req extends Request, Context> = (
  request: Req,
  session: AuthSession,
  context: Context,
) => Response | Promise<Response>;

/** Wraps a route handler: calls it with the customer's session, or responds with a problem. */
export function guardRoute<Req extends Request, Context>(
  deployment: () => Deployment,
  conditions: AuthConditions,
  handler: AuthHandler<Req, Context>,
): (request: Req, context: Context) => Promise<Response> {
  return async (request, context) => {
    let session: AuthSession;
    try {
      session = await authenticate(deployment(), request, conditions);
    } catch (error) {
      if (error instanceof GatehouseError) return problemResponse(error);
      throw error;
    }
    return handler(request, session, context);
  };
}

/** @throws GatehouseError 401 `invalid_access_token`, 403 `cross_site_request`, `reauthentication_required`, 503 */
async function authenticate(
  deployment: Deployment,
  request: Request,
  conditions: AuthConditions,
): Promise<AuthSession> {
  if (!isSafeMethod(request.method) && !isSameOrigin(deployment.options, request))
    throw crossSiteRequestError('The request was not sent by a page of this site.');
  const check = await verifySession(deployment, request.headers, conditions);
  const pageSession = placeholderSessionId(bearerOf(request));
  if (pageSession !== null && pageSession !== check.cookies.claims?.sid)
    throw invalidAccessTokenError('Another customer has signed in since this page was loaded.');
  if (check.status === 'valid') return check.session;
  if (check.status === 'unmet') throw check.error;
  throw invalidAccessTokenError('The request contains no valid session.');
}

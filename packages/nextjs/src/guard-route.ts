import { GatehouseError, problemResponse, type AuthConditions } from '@gatehouse/server';
import { prove, type AuthSession } from './auth-session.js';
import type { Deployment } from './deployment.js';
import { bearerOf, sessionOfPlaceholder } from './placeholder-tokens.js';
import { crossSiteRequest, invalidAccessToken } from './problems.js';
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
    throw crossSiteRequest('The request was not sent by a page of this site.');
  const proof = await prove(deployment, request.headers, conditions);
  const pageSession = sessionOfPlaceholder(bearerOf(request));
  if (pageSession !== null && pageSession !== proof.cookies.claims?.sid)
    throw invalidAccessToken('Another customer has signed in since this page was loaded.');
  if (proof.status === 'valid') return proof.session;
  if (proof.status === 'unmet') throw proof.error;
  throw invalidAccessToken('The request contains no valid session.');
}

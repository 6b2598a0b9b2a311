import { readBearerToken, type createAccessTokenVerifier } from './access-token-verifier.js';
import type { AccessTokenClaims } from './access-token-claims.js';
import type { AuthConditions } from './conditions.js';
import { GatehouseError } from './gatehouse-error.js';
import { problemHeaders, respond, type NodeRequest } from './respond.js';

declare global {
  // Express declares additional request properties in this namespace.
  // oxlint-disable-next-line typescript/no-namespace
  namespace Express {
    interface Request {
      /** The access token's claims, after `requireCustomer()`. */
      customer?: AccessTokenClaims;
    }
  }
}

/** An Express middleware that can also be a Fastify `onRequest` or `preHandler` hook. */
export type CustomerMiddleware = (
  request: NodeRequest,
  response: object,
  next: (error?: Error) => void,
) => void;

/**
 * Returns a middleware that sets `request.customer` to the access token's claims, or responds with a problem: 401
 * `invalid_access_token`, 403 `reauthentication_required` or 503 `unavailable`.
 */
export function createRequireCustomer(verifier: ReturnType<typeof createAccessTokenVerifier>) {
  return (conditions: AuthConditions = {}): CustomerMiddleware => {
    const verify = verifier(conditions);
    const authenticate = async (request: NodeRequest): Promise<void> => {
      const { authorization } = request.headers;
      const claims = await verify(readBearerToken(String(authorization ?? '')));
      (request as { customer?: AccessTokenClaims }).customer = claims;
    };
    return (request, response, next) => {
      authenticate(request).then(
        () => next(),
        (error: Error) => {
          if (!(error instanceof GatehouseError)) return next(error);
          respond(response, error.status, problemHeaders(error), JSON.stringify(error.problem));
        },
      );
    };
  };
}

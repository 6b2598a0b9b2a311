import { createAccessTokenVerifier } from './access-token-verifier.js';
import type { AccessTokenClaims } from './access-token-claims.js';
import type { AuthConditions } from './conditions.js';
import { createManagement } from './management.js';
import { createRequireCustomer, type CustomerMiddleware } from './require-customer.js';
import { Revocations, type RevocationOptions } from './revocations.js';
import { createTransport } from './transport.js';
import type { TypedRequest } from './typed-request.js';
import { createWebhook, type WebhookHandler, type WebhookHandlers, type WebhookOptions } from './webhook.js';

export interface ServerOptions {
  /** The URL at which this server reaches Gatehouse. */
  url: string;
  /** The token issuer (`PUBLIC_URL`), if this server reaches Gatehouse at another `url`. Default: `url`. */
  issuer?: string | undefined;
  /** Id of the project, which is the token audience. */
  projectId: string;
  /** Required for `request`, all resources, `vouchFor` and `revocation`. */
  secretKey?: string | undefined;
  /** The webhook endpoint's signing secret, or several. Required for `webhook`. */
  webhookSecret?: string | string[] | undefined;
  /** Rejects tokens of ended sessions. Requires a call to `revocations().start()`. */
  revocation?: boolean | RevocationOptions;
  /** Sends all requests. Default: the global `fetch`. */
  fetch?: typeof fetch;
}

export interface VouchOptions {
  /** Required for routes that require a publishable key. */
  publishableKey?: string;
  /** The customer's user agent, from which the session's `device` is derived. */
  userAgent?: string;
}

/** The client for one project. */
export interface Gatehouse extends ReturnType<typeof createManagement> {
  /**
   * Verifies a customer's access token, and returns its claims. Sends no request while the public keys are cached.
   * @throws GatehouseError `invalid_access_token` (401), `reauthentication_required` (403), or `unavailable` (503).
   *   Do not treat `unavailable` as signed out
   */
  verifyAccessToken(token: string, conditions?: AuthConditions): Promise<AccessTokenClaims>;

  /**
   * Returns an Express middleware that can also be a Fastify hook. It sets `request.customer` to the access token's
   * claims, or responds with a problem: 401 `invalid_access_token`, 403 `reauthentication_required` or 503
   * `unavailable`.
   */
  requireCustomer(conditions?: AuthConditions): CustomerMiddleware;

  /**
   * Returns a route handler for webhooks. It responds with 204 after the handler for the event has finished or if there
   * is none, 400 if the signature is invalid, and 500 if the handler fails, so that Gatehouse delivers the event again.
   */
  webhook(handlers: WebhookHandlers, options?: WebhookOptions): WebhookHandler;

  /**
   * Returns the revocation reader, which the app starts and stops.
   * @throws TypeError without the `revocation` option
   */
  revocations(): Revocations;

  /**
   * Returns the headers to call `/api/v1/auth/*` for a customer, so that rate limits and sessions use the customer's
   * IP. The secret key needs the `customer:write` scope.
   * @param clientIp the customer's IP, from a source that the customer cannot forge
   */
  vouchFor(clientIp: string, options?: VouchOptions): Record<string, string>;

  /** Sends a request with the secret key, typed according to the API reference. @throws GatehouseError */
  request: TypedRequest;
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/**
 * Returns the client for one project. Sends no request before the first call.
 * @throws TypeError if `url` or `projectId` is empty, for example because an environment variable is missing
 */
export function createServer(options: ServerOptions): Gatehouse {
  const { projectId, secretKey, revocation = false } = options;
  // Without an audience, the tokens of all projects would be accepted.
  if (!options.url || !projectId)
    throw new TypeError('createServer() requires the options url and projectId');
  const url = withoutSlash(options.url);
  const issuer = withoutSlash(options.issuer || options.url);
  const send: typeof fetch = options.fetch ?? ((input, init) => fetch(input, init));
  const transport = createTransport({ url, secretKey, fetch: send });
  const revocations = revocation
    ? new Revocations(transport, projectId, revocation === true ? {} : revocation)
    : null;
  const isRevoked = (claims: AccessTokenClaims): boolean => revocations?.isRevoked(claims) ?? false;
  const verifier = createAccessTokenVerifier({ url, issuer, projectId, fetch: send, isRevoked });

  return {
    verifyAccessToken: async (token, conditions) => verifier(conditions)(token),
    requireCustomer: createRequireCustomer(verifier),
    webhook: createWebhook(options.webhookSecret),
    revocations: () => {
      if (revocations) return revocations;
      throw new TypeError('revocations() requires the revocation option of createServer()');
    },
    vouchFor: (clientIp, { publishableKey, userAgent } = {}) => {
      if (!secretKey) throw new TypeError('vouchFor() requires the secretKey option of createServer()');
      return {
        'x-api-key': secretKey,
        'x-client-ip': clientIp,
        ...(publishableKey && { 'x-publishable-key': publishableKey }),
        ...(userAgent && { 'user-agent': userAgent }),
      };
    },
    request: transport as TypedRequest,
    ...createManagement(transport),
  };
}

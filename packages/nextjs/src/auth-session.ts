import { GatehouseError, type AccessTokenClaims, type AuthConditions } from '@gatehouse/server';
import type { Deployment } from './deployment.js';
import { readCookies, type CookieSession } from './session-cookies.js';

/** A signed-in customer's session. */
export interface AuthSession {
  isSignedIn: true;
  customerId: string;
  sessionId: string;
  /** The access token's verified claims. */
  claims: AccessTokenClaims;
}

/** The result of `auth()`. */
export type Auth = AuthSession | { isSignedIn: false; customerId: null; sessionId: null; claims: null };

/** The result of verifying the session of a page or route request. */
export type SessionCheck =
  | { status: 'valid'; session: AuthSession; cookies: CookieSession }
  /** The access token is missing or has expired, but can be refreshed. */
  | { status: 'expired'; cookies: CookieSession }
  | { status: 'signed_out'; cookies: CookieSession }
  /** The session is valid, but does not meet the conditions. */
  | { status: 'unmet'; error: GatehouseError; cookies: CookieSession };

/**
 * Verifies the session in a request's cookies. Sends no request while the public keys are cached.
 * @throws GatehouseError `unavailable` (503). Do not treat it as signed out
 */
export async function verifySession(
  { options, verifier }: Deployment,
  headers: Headers,
  conditions?: AuthConditions,
): Promise<SessionCheck> {
  const cookies = readCookies(options, headers);
  const { accessToken, refreshToken } = cookies;
  const missing = { status: refreshToken ? ('expired' as const) : ('signed_out' as const), cookies };
  if (!accessToken) return missing;
  try {
    const claims = await verifier.verifyAccessToken(accessToken, conditions);
    const customerId = claims.customer_id ?? claims.sub;
    const session = { isSignedIn: true as const, customerId, sessionId: claims.sid, claims };
    return { status: 'valid', session, cookies };
  } catch (error) {
    if (!(error instanceof GatehouseError)) throw error;
    if (error.code === 'invalid_access_token') return missing;
    if (error.code === 'reauthentication_required') return { status: 'unmet', error, cookies };
    throw error;
  }
}

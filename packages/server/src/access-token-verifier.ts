import { jwtVerify } from 'jose';
import type { AccessTokenClaims } from './access-token-claims.js';
import { compileConditions, type AuthConditions } from './conditions.js';
import { invalidAccessTokenError, unavailableError } from './gatehouse-error.js';
import { createPublicKeys } from './public-keys.js';

export interface VerifierOptions {
  /** The Gatehouse URL, without a trailing slash. */
  url: string;
  /** The token issuer, without a trailing slash. */
  issuer: string;
  projectId: string;
  fetch: typeof fetch;
  /** Returns true if a valid token's session or customer has been revoked. */
  isRevoked: (claims: AccessTokenClaims) => boolean;
}

/** Leeway in seconds for expired tokens, to allow for clock skew. */
export const CLOCK_TOLERANCE = 5;

/** Error codes from jose for invalid tokens. All other errors concern the public keys. */
const BAD_TOKEN =
  /^ERR_(JWT_|JWS_|JWKS_NO_MATCHING_KEY|JWKS_MULTIPLE_|JOSE_ALG_NOT_ALLOWED|JOSE_NOT_SUPPORTED)/;

/** Returns a function that verifies a project's access tokens with Gatehouse's cached public keys. */
export function createAccessTokenVerifier({ url, issuer, projectId, fetch, isRevoked }: VerifierOptions) {
  const publicKeys = createPublicKeys(url, fetch);

  const options = {
    issuer,
    audience: projectId,
    typ: 'at+jwt',
    // The project setting `signingAlgorithm` selects one of these. Accepting both is safe: each public key specifies
    // its algorithm, and jose does not use a key with any other. Symmetric algorithms are never accepted.
    algorithms: ['ES256', 'RS256'],
    requiredClaims: ['exp', 'sub', 'sid'],
    clockTolerance: CLOCK_TOLERANCE,
  };

  async function verify(token: string): Promise<AccessTokenClaims> {
    try {
      return (await jwtVerify(token, publicKeys.get, options)).payload as AccessTokenClaims;
    } catch (error) {
      const code = String((error as { code?: unknown } | null)?.code);
      const isKeyMissing = code === 'ERR_JWKS_NO_MATCHING_KEY' && publicKeys.isOutdated();
      if (BAD_TOKEN.test(code) && !isKeyMissing)
        throw invalidAccessTokenError(
          'The access token is malformed, expired or from another issuer.',
          error,
        );
      throw unavailableError("Gatehouse's public keys could not be loaded.", error);
    }
  }

  return (conditions: AuthConditions = {}) => {
    const check = compileConditions(conditions);
    return async (token: string): Promise<AccessTokenClaims> => {
      const claims = await verify(token);
      if (isRevoked(claims)) throw invalidAccessTokenError("The access token's session has ended.");
      check(claims, Math.floor(Date.now() / 1_000));
      return claims;
    };
  };
}

/** Returns the bearer token from an Authorization header. @throws GatehouseError `invalid_access_token` */
export function readBearerToken(authorization: string | null | undefined): string {
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  if (token) return token;
  throw invalidAccessTokenError('The request contains no access token.');
}

import type { AccessTokenClaims } from './access-token-claims.js';
import { toSeconds, type Duration } from './duration.js';
import { GatehouseError } from './gatehouse-error.js';

/** A route's conditions, in addition to a valid access token. */
export interface AuthConditions {
  /** Requires a session that was authenticated with two factors. */
  mfa?: boolean;
  /** Maximum time since the customer last authenticated: seconds, or a string such as `'10m'`. */
  maxAge?: Duration;
}

const SECOND_FACTORS = ['totp', 'passkey', 'recovery_code'];

/**
 * Returns a function that checks a token's claims against conditions.
 * @throws TypeError if `maxAge` is invalid, so that the error occurs when the route is defined
 */
export function compileConditions({ mfa = false, maxAge }: AuthConditions) {
  const maxSeconds = maxAge === undefined ? null : toSeconds(maxAge);

  /**
   * Checks the claims.
   * @param now seconds since 1970
   * @throws GatehouseError `reauthentication_required`
   */
  return ({ amr, auth_time: provenAt }: AccessTokenClaims, now: number): void => {
    const hasMfa = Array.isArray(amr) && amr.includes('mfa');
    // The time is 0 in support sessions, in which the customer has not authenticated.
    const isProven = typeof provenAt === 'number' && provenAt > 0;
    const isFresh = maxSeconds === null || (isProven && now - provenAt <= maxSeconds);
    if ((hasMfa || !mfa) && isFresh) return;
    throw new GatehouseError({
      code: 'reauthentication_required',
      status: 403,
      detail:
        mfa && !hasMfa
          ? 'This request requires a session with a second factor.'
          : `This request requires proof of identity within the last ${maxSeconds} seconds.`,
      // A customer who has a second factor cannot reauthenticate without it.
      methods: mfa || hasMfa ? SECOND_FACTORS : ['password', 'email_code', ...SECOND_FACTORS],
    });
  };
}

import type { AccessTokenClaims } from './access-token-claims.js';
import { toSeconds, type Duration } from './duration.js';
import { GatehouseError } from './gatehouse-error.js';

/** A route's conditions in addition to a valid access token. */
export interface AuthConditions {
  /** Requires that the session has proven two factors. */
  mfa?: boolean;
  /** The longest time since the customer has last proven their identity: seconds, or a string such as `'10m'`. */
  maxAge?: Duration;
}

const SECOND_FACTORS = ['totp', 'passkey', 'recovery_code'];

/**
 * Returns a function that checks conditions against a token's claims.
 * @throws TypeError if `maxAge` is invalid: when the route is defined and not only when it is used
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
    // Support sessions have the time 0: the customer has proven nothing.
    const isProven = typeof provenAt === 'number' && provenAt > 0;
    const isFresh = maxSeconds === null || (isProven && now - provenAt <= maxSeconds);
    if ((hasMfa || !mfa) && isFresh) return;
    throw new GatehouseError({
      code: 'reauthentication_required',
      status: 403,
      detail:
        mfa && !hasMfa
          ? 'This request requires a session with a second factor.'
          : `This request requires a proof of identity within the last ${maxSeconds} seconds.`,
      // A customer with a second factor cannot renew the proof's time without it.
      methods: mfa || hasMfa ? SECOND_FACTORS : ['password', 'email_code', ...SECOND_FACTORS],
    });
  };
}

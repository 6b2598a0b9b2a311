/** The claims in an access token. */
export interface AccessTokenClaims {
  /** The Gatehouse URL (`PUBLIC_URL`). */
  iss: string;
  /** Id of the project. */
  aud: string;
  /** Id of the customer, or the `externalId` if the project setting `tokenSubject` is `externalId`. */
  sub: string;
  /** Id of the customer. Present only if the project setting `tokenSubject` is `externalId`. */
  customer_id?: string;
  /** Id of the session. */
  sid: string;
  jti: string;
  /** Seconds since 1970. */
  iat: number;
  /** Seconds since 1970. */
  exp: number;
  /** As of the last sign-in or refresh. */
  email_verified: boolean;
  /**
   * The methods with which the customer authenticated in this session (RFC 8176). Contains `mfa` if the customer used
   * two factors.
   */
  amr?: string[];
  /** When the customer last authenticated, in seconds since 1970. 0 in a support session. */
  auth_time?: number;
  /** The project's custom claims. */
  [claim: string]: unknown;
}

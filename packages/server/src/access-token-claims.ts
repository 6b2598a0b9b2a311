/** The claims in an access token. */
export interface AccessTokenClaims {
  /** Gatehouse's URL. */
  iss: string;
  /** The project's id. */
  aud: string;
  /** The customer's id, or `externalId` if the project setting `tokenSubject` is `externalId`. */
  sub: string;
  /** The customer's id. Only in tokens for a project whose `tokenSubject` is `externalId`. */
  customer_id?: string;
  /** The session's id. */
  sid: string;
  jti: string;
  /** Seconds since 1970. */
  iat: number;
  /** Seconds since 1970. */
  exp: number;
  /** As of the last sign-in or refresh. */
  email_verified: boolean;
  /**
   * The methods with which the customer has proven their identity in this session (RFC 8176). `mfa`: with two factors.
   */
  amr?: string[];
  /** Time of the last proof of identity, in seconds since 1970; 0 in a support session. */
  auth_time?: number;
  /** The project's custom claims. */
  [claim: string]: unknown;
}

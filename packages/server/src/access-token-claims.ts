/** The claims of an access token. */
export interface AccessTokenClaims {
  /** The URL of Gatehouse. */
  iss: string;
  /** Id of the project. */
  aud: string;
  /** Id of the customer, or `externalId` if the project's setting `tokenSubject` says so. */
  sub: string;
  /** Id of the customer. Only in tokens of a project whose `tokenSubject` is `externalId`. */
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
  /** How the customer has proven their identity in this session (RFC 8176). `mfa`: with two factors. */
  amr?: string[];
  /** Time of the last proof of identity, in seconds since 1970; 0 in a session of support. */
  auth_time?: number;
  /** The custom claims of the project. */
  [claim: string]: unknown;
}

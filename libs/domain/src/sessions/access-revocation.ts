/** The time at which a customer's access was last revoked: all sessions, codes, flows and challenges. */
export interface RevocableAccess {
  /** Null if it was never revoked. */
  accessRevokedAt: Date | null;
}

/**
 * Returns whether a code, flow, challenge or verified credential was issued before the customer's access was last
 * revoked, so that it must be rejected (requirement EX-01).
 * @param issuedAt when it was issued, or the earlier time at which the client requested it
 */
export const isRevoked = ({ accessRevokedAt }: RevocableAccess, issuedAt: Date): boolean =>
  accessRevokedAt !== null && issuedAt <= accessRevokedAt;

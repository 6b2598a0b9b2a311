/** The last event that ended all of a customer's earlier access: sessions, codes, flows, challenges. */
export interface RevocableAccess {
  /** Null if there was none. */
  accessRevokedAt: Date | null;
}

/**
 * Returns whether a proof, code, flow or challenge is older than the last event that revoked the customer's access, so
 * that it completes nothing (requirement EX-01).
 * @param issuedAt the proof's time, or the earlier time at which the client requested it
 */
export const isRevoked = ({ accessRevokedAt }: RevocableAccess, issuedAt: Date): boolean =>
  accessRevokedAt !== null && issuedAt <= accessRevokedAt;

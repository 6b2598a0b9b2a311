/** The actor in a session that a sign-in token opened. Both are null if an earlier version has opened the session. */
export interface SupportAccess {
  /** The secret key that created the sign-in token. */
  keyId: string | null;
  /** The reason why it was created. */
  reason: string | null;
}

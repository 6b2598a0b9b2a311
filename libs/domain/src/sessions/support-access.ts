/**
 * The actor in a session that was opened with a sign-in token. Both members are null if an earlier version opened it.
 */
export interface SupportAccess {
  /** The secret key that created the sign-in token. */
  keyId: string | null;
  /** The reason why it was created. */
  reason: string | null;
}

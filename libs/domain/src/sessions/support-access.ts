/** Who acts in a session of a sign-in token. Both are null if an earlier version has opened the session. */
export interface SupportAccess {
  /** The secret key that created the sign-in token. */
  keyId: string | null;
  /** Why it was created. */
  reason: string | null;
}

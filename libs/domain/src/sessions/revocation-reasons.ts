/** Why a session ended, as `session.revoked` says it. Receivers know these: the list only ever grows. */
export const revocationReasons = [
  'logout',
  'revoked',
  'password_changed',
  'password_reset',
  'customer_disabled',
  'reuse_detected',
  'session_limit',
] as const;

export type RevocationReason = (typeof revocationReasons)[number];

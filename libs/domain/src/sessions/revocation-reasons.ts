/**
 * The reasons why a session ended, as in `session.revoked`. Receivers depend on them, so reasons can be added but never
 * removed.
 */
export const revocationReasons = [
  'logout',
  'revoked',
  'password_changed',
  'password_reset',
  'customer_disabled',
  'reuse_detected',
  'session_limit',
  'disowned',
  'factor_removed',
  'address_claimed',
  'identity_removed',
  'sso_required',
] as const;

export type RevocationReason = (typeof revocationReasons)[number];

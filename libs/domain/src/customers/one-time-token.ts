/** The actions that a one-time token authorizes. */
export const oneTimeTokenKinds = [
  'verify-email',
  'reset-password',
  'accept-invite',
  'change-email-current',
  'change-email-new',
] as const;

export type OneTimeTokenKind = (typeof oneTimeTokenKinds)[number];

/**
 * The kinds of tokens that a password change invalidates, because they may have been requested by a person who knew the
 * old password.
 */
export const kindsVoidedByPasswordChange: readonly OneTimeTokenKind[] = [
  'reset-password',
  'accept-invite',
  'change-email-current',
  'change-email-new',
];

const HOUR = 3600;

/** Validity in seconds (contract, section 3). */
export const oneTimeTokenTtl: Record<OneTimeTokenKind, number> = {
  'verify-email': 24 * HOUR,
  'reset-password': HOUR,
  'accept-invite': 7 * 24 * HOUR,
  'change-email-current': 24 * HOUR,
  'change-email-new': 24 * HOUR,
};

/**
 * A token's state. A token is also `voided` if the customer's email address has changed, the customer is disabled,
 * or the project is archived: it then no longer authorizes anything.
 */
export type OneTimeTokenState = 'live' | 'consumed' | 'expired' | 'voided';

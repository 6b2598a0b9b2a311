/** What a one-time token lets its holder do. */
export const oneTimeTokenKinds = [
  'verify-email',
  'reset-password',
  'accept-invite',
  'change-email-current',
  'change-email-new',
] as const;

export type OneTimeTokenKind = (typeof oneTimeTokenKinds)[number];

/** What a change of password voids: whoever asked for it may have known the old one. */
export const kindsVoidedByPasswordChange: readonly OneTimeTokenKind[] = [
  'reset-password',
  'accept-invite',
  'change-email-current',
  'change-email-new',
];

const HOUR = 3600;

/** Lives in seconds (contract, section 3). */
export const oneTimeTokenTtl: Record<OneTimeTokenKind, number> = {
  'verify-email': 24 * HOUR,
  'reset-password': HOUR,
  'accept-invite': 7 * 24 * HOUR,
  'change-email-current': 24 * HOUR,
  'change-email-new': 24 * HOUR,
};

/**
 * Where a token stands. `voided` is also one whose customer has another address by now or is disabled, or whose
 * project is archived: it proves nothing any more.
 */
export type OneTimeTokenState = 'live' | 'consumed' | 'expired' | 'voided';

import { kindsVoidedByPasswordChange, type OneTimeTokenKind } from '@gatehouse/domain';

/** A part of a customer's access that `AccountLifecycleService` can end. */
export type AccessPart =
  | 'password'
  | 'factors'
  | 'identities'
  | 'links'
  | 'signInTokens'
  | 'emailCodes'
  | 'exchanges'
  | 'addressRecords'
  | 'knownAddresses'
  | 'proofs'
  | 'challenges'
  | 'sessions'
  | 'account';

export interface EndedAccess {
  /** The parts to end, in order. */
  parts: readonly AccessPart[];
  /** Kinds of links to void. Default: all. */
  links?: readonly OneTimeTokenKind[];
}

/** The parts that sign-ins create. */
const signIns = ['proofs', 'challenges', 'sessions'] as const;

const secrets = ['password', 'links', 'signInTokens', 'factors', 'emailCodes', 'exchanges'] as const;

/**
 * The kinds of links to the previous address that become void when a customer confirms an address change with
 * links to both addresses.
 */
const kindsVoidedByAddressChange = ['verify-email', 'reset-password', 'accept-invite'] as const;

/**
 * The access that each action ends. Apart from these actions, only the worker ends more than one session or
 * secret of a customer at once: it ends sessions that were not opened with a required provider.
 * docs/accounts.md describes the actions.
 */
export const endedAccess = {
  logout: { parts: signIns },
  revoked: { parts: signIns },
  factor_removed: { parts: signIns },
  identity_removed: { parts: signIns },
  password_changed: { parts: ['links', ...signIns], links: kindsVoidedByPasswordChange },
  password_reset: { parts: ['links', 'knownAddresses', ...signIns] },
  address_claimed: { parts: [...secrets, 'identities', 'knownAddresses', ...signIns] },
  address_changed: { parts: ['links', 'addressRecords'] },
  address_change_confirmed: { parts: ['links', 'addressRecords'], links: kindsVoidedByAddressChange },
  // Challenges are kept until they expire, so that their sign-ins fail with the error for a disabled customer.
  customer_disabled: { parts: ['links', 'proofs', 'sessions'] },
  customer_deleted: { parts: ['addressRecords', 'account'] },
} as const satisfies Record<string, EndedAccess>;

export type AccessAction = keyof typeof endedAccess;

import { kindsVoidedByPasswordChange, type OneTimeTokenKind } from '@gatehouse/domain';

/** A part of a customer's access, which `AccountLifecycleService` can end. */
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

export interface AccessEnds {
  /** In the order in which they end. */
  parts: readonly AccessPart[];
  /** The kinds of links that become void. Default: all. */
  links?: readonly OneTimeTokenKind[];
}

/** The parts that every sign-in leaves behind. */
const signIns = ['proofs', 'challenges', 'sessions'] as const;

const secrets = ['password', 'links', 'signInTokens', 'factors', 'emailCodes', 'exchanges'] as const;

/** The links that were sent to a customer's previous address, if the customer changes it with links to both. */
const kindsVoidedByAddressChange = ['verify-email', 'reset-password', 'accept-invite'] as const;

/**
 * The access that each action ends. Nothing else ends more than one of a customer's sessions or secrets, except the
 * worker, which ends the sessions that a required provider has not opened. docs/accounts.md describes the actions.
 */
export const accessEnds = {
  logout: { parts: signIns },
  revoked: { parts: signIns },
  factor_removed: { parts: signIns },
  identity_removed: { parts: signIns },
  password_changed: { parts: ['links', ...signIns], links: kindsVoidedByPasswordChange },
  password_reset: { parts: ['links', 'knownAddresses', ...signIns] },
  address_claimed: { parts: [...secrets, 'identities', 'knownAddresses', ...signIns] },
  address_changed: { parts: ['links', 'addressRecords'] },
  address_change_confirmed: { parts: ['links', 'addressRecords'], links: kindsVoidedByAddressChange },
  // The challenges stay until they expire, so that their sign-ins are rejected as disabled.
  customer_disabled: { parts: ['links', 'proofs', 'sessions'] },
  customer_deleted: { parts: ['addressRecords', 'account'] },
} as const satisfies Record<string, AccessEnds>;

export type AccessAction = keyof typeof accessEnds;

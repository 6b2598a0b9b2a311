import { kindsVoidedByPasswordChange, type OneTimeTokenKind } from '@gatehouse/domain';

/** The parts of a customer's access that an action can end, with their descriptions for the documentation. */
export const accessParts = {
  password: 'Password',
  factors: 'Second factors and passkeys',
  identities: 'Identities, except one that proves the address',
  links: 'Links in emails',
  signInTokens: 'Sign-in tokens',
  emailCodes: 'Email codes',
  exchanges: 'Exchange codes',
  addressRecords: 'Failed sign-ins, email codes and exchange codes of the address',
  knownAddresses: 'Known client IPs',
  proofs: 'Every proof, code, flow and challenge from before',
  challenges: 'Challenges, deleted sooner',
  sessions: 'Sessions',
  account: 'The customer and everything else that belongs to them',
} as const;

export type AccessPart = keyof typeof accessParts;

interface AccessEnds {
  /** When the action happens, for the documentation. */
  when: string;
  /** In the order in which they end. */
  parts: readonly AccessPart[];
  /** The kinds of links that become void. Default: all. */
  links?: readonly OneTimeTokenKind[];
}

/** What every sign-in leaves behind. */
const signIns = ['proofs', 'challenges', 'sessions'] as const;

/** The links that were sent to the previous address of a customer who changes it with links to both. */
const kindsVoidedByAddressChange: readonly OneTimeTokenKind[] = [
  'verify-email',
  'reset-password',
  'accept-invite',
];

/**
 * What each action ends. Nothing else ends more than one session or secret of a customer, apart from the worker, which ends
 * the sessions that a required provider has not opened.
 */
export const accessEnds = {
  logout: {
    when: 'The customer signs out everywhere, or everywhere else: then the session of the request stays',
    parts: signIns,
  },
  revoked: { when: 'A server or an operator revokes all sessions', parts: signIns },
  factor_removed: { when: 'A server or an operator removes a second factor or a passkey', parts: signIns },
  identity_removed: { when: 'A server or an operator removes an identity', parts: signIns },
  password_changed: {
    when: 'The customer changes the password: the session of the request stays',
    parts: ['links', ...signIns],
    links: kindsVoidedByPasswordChange,
  },
  password_reset: {
    when: 'The customer sets a password with a link to a verified address',
    parts: ['links', 'knownAddresses', ...signIns],
  },
  address_claimed: {
    when: 'The owner proves the address of an account, which another person may have registered, or disowns the account',
    parts: [
      ...(['password', 'links', 'signInTokens', 'factors', 'emailCodes', 'exchanges', 'identities'] as const),
      ...(['knownAddresses', ...signIns] as const),
    ],
  },
  address_changed: {
    when: 'A server, an operator or an import changes the address',
    parts: ['links', 'addressRecords'],
  },
  address_change_confirmed: {
    when: 'The customer changes the address with links to both addresses',
    parts: ['links', 'addressRecords'],
    links: kindsVoidedByAddressChange,
  },
  // The challenges stay until they expire, so that their sign-ins are refused as disabled.
  customer_disabled: {
    when: 'A server, an operator or an import disables the customer',
    parts: ['links', 'proofs', 'sessions'],
  },
  customer_deleted: {
    when: 'A server, an operator or the customer deletes the account',
    parts: ['addressRecords', 'account'],
  },
} as const satisfies Record<string, AccessEnds>;

export type AccessAction = keyof typeof accessEnds;

import { decideIdentity, isPending, type LocalCustomer, type ProviderSignIn } from './identity-decision.js';

const email = 'ada@example.com';
const customers = {
  none: null,
  verified: { email, emailVerified: true, disabledAt: null },
  unverified: { email, emailVerified: false, disabledAt: null },
  disabled: { email, emailVerified: true, disabledAt: new Date(0) },
  'disabled and unverified': { email, emailVerified: false, disabledAt: new Date(0) },
} satisfies Record<string, LocalCustomer | null>;
type Name = keyof typeof customers;
const names = Object.keys(customers) as Name[];

const base: ProviderSignIn = {
  profile: { email, isEmailTrusted: true },
  ...{ linked: null, owner: null, pendingAt: null },
  ...{ allowSignUp: true, hidesAccounts: false },
};
const decide = (differences: Partial<ProviderSignIn>): unknown => {
  const decision = decideIdentity({ ...base, ...differences });
  return 'action' in decision ? decision.action : decision.rejection;
};
const untrusted = { email, isEmailTrusted: false };

it.each<[name: Name, trusted: string, untrusted: string]>([
  ['none', 'create_verified', 'create_unverified'],
  ['verified', 'link', 'account_exists'],
  ['unverified', 'claim_and_link', 'account_exists'],
  ['disabled', 'customer_disabled', 'customer_disabled'],
  ['disabled and unverified', 'customer_disabled', 'customer_disabled'],
])(
  'FE-03: decides on a new identity when the owner of its email is: %s',
  (name, whenTrusted, whenUntrusted) => {
    const owner = customers[name];
    expect(decide({ owner })).toBe(whenTrusted);
    expect(decide({ owner, profile: untrusted })).toBe(whenUntrusted);
    expect(decide({ owner, hidesAccounts: true })).toBe(whenTrusted);
  },
);

it.each<[name: Name, expected: string]>([
  ['verified', 'sign_in'],
  ['unverified', 'claim_and_sign_in'],
  ['disabled', 'customer_disabled'],
  ['disabled and unverified', 'customer_disabled'],
])('FE-03: decides on a linked identity when the customer is: %s', (name, expected) => {
  const linked = customers[name]!;
  expect(decide({ linked })).toBe(expected);
  // Neither another email address nor an untrusted one verifies the customer's address.
  const usual = expected === 'claim_and_sign_in' ? 'sign_in' : expected;
  const profiles = [untrusted, { email: 'grace@example.com', isEmailTrusted: true }];
  for (const profile of [...profiles, { email: null, isEmailTrusted: false }])
    for (const hidesAccounts of [false, true]) expect(decide({ linked, profile, hidesAccounts })).toBe(usual);
});

it('FE-03: rejects a new customer without an email, or if sign-up is not allowed', () => {
  const profile = { email: null, isEmailTrusted: false };
  for (const hidesAccounts of [false, true])
    expect(decide({ profile, hidesAccounts })).toBe('email_required');
  for (const each of [undefined, untrusted])
    expect(decide({ allowSignUp: false, ...(each ? { profile: each } : {}) })).toBe('sign_up_not_allowed');
});

it('PW-08: returns the same rejection for every untrusted address, and only the sent email differs', () => {
  const mails = names.flatMap((name) =>
    [true, false].map((allowSignUp) => {
      const facts = { profile: untrusted, owner: customers[name], allowSignUp, hidesAccounts: true };
      const decision = decideIdentity({ ...base, ...facts });
      expect(decision).toMatchObject({ rejection: 'sign_in_failed' });
      return [name, allowSignUp, 'mail' in decision ? decision.mail : undefined];
    }),
  );
  expect(mails.filter(([, , mail]) => mail !== 'notice')).toEqual([
    ['none', true, 'sign_up'],
    ['none', false, null],
  ]);
});

it('PW-08: ignores a link from a hidden sign-up until it is used or the email is verified', () => {
  const other = { email: 'grace@example.com', isEmailTrusted: true };
  const pending = names.flatMap((name) => {
    const customer = customers[name];
    if (!customer) return [];
    return [base.profile, untrusted, other].map((profile) => {
      const facts = { profile, hidesAccounts: true };
      expect(isPending({ ...customer, isPending: true }, { ...facts, hidesAccounts: false })).toBe(false);
      expect(isPending({ ...customer, isPending: false }, facts)).toBe(false);
      return isPending({ ...customer, isPending: true }, facts);
    });
  });
  const never = [false, false, false];
  // A disabled customer stays disabled.
  expect(pending).toEqual([...never, ...[false, true, true], ...never, ...[false, true, false]]);
});

it.each<[pendingAt: ProviderSignIn['pendingAt'], owner: Name, mail: unknown]>([
  ['owner', 'unverified', 'verification'],
  ['owner', 'disabled and unverified', 'notice'],
  ['other', 'unverified', 'notice'],
  ['other', 'none', null],
])(
  'PW-08: selects the email if the pending link belongs to: %s, and the owner is: %s',
  (pendingAt, owner, mail) => {
    const facts = { profile: untrusted, hidesAccounts: true, pendingAt, owner: customers[owner] };
    expect(decideIdentity({ ...base, ...facts })).toEqual({ rejection: 'sign_in_failed', mail });
  },
);

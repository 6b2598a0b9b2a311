/** The rules that can prevent an account, with their descriptions for the documentation. */
export const admissionRules = {
  sign_up: 'sign-up is allowed by the project and the provider, or a secret key registers the customer',
  required_provider: 'the domain of the address requires no other provider',
} as const;

export type AdmissionRule = keyof typeof admissionRules;

interface AccountSourceEffects {
  /** When the account comes to be, for the documentation. */
  when: string;
  /** The rules that must allow the account. */
  rules: readonly AdmissionRule[];
  /** Whether the event `customer.created` is recorded. */
  event: 'always' | 'on_request';
  /** Whether the change is audited. Customers' own registrations are recorded only as events. */
  audit: 'always' | 'by_secret_key' | 'never';
  /** The details of the audit entry. Default: none. */
  auditDetails?: Record<string, unknown>;
  /** The email that the customer receives. `verify-email` is sent only if the address is not verified. */
  mail: 'verify-email' | 'accept-invite' | null;
}

/** Where accounts come from, and what each source checks and leaves behind. */
export const accountSources = {
  registration: {
    when: 'A customer registers with a password',
    rules: ['sign_up', 'required_provider'],
    event: 'always',
    audit: 'by_secret_key',
    mail: 'verify-email',
  },
  server: {
    when: 'A server or an operator creates a customer',
    rules: [],
    event: 'always',
    audit: 'always',
    mail: null,
  },
  invitation: {
    when: 'A server or an operator creates a customer with `sendInvite`',
    rules: ['required_provider'],
    event: 'always',
    audit: 'always',
    mail: 'accept-invite',
  },
  email: {
    when: 'The owner of an address signs in with a code or a link in an email',
    rules: ['sign_up', 'required_provider'],
    event: 'always',
    audit: 'never',
    mail: null,
  },
  provider: {
    when: 'A person signs in with an identity provider',
    rules: ['sign_up', 'required_provider'],
    event: 'always',
    audit: 'never',
    mail: 'verify-email',
  },
  legacy: {
    when: 'A customer of the previous system signs in with the password',
    rules: [],
    event: 'always',
    audit: 'always',
    auditDetails: { source: 'legacy_sign_in' },
    mail: null,
  },
  import: {
    when: 'An import adds a customer',
    rules: [],
    event: 'on_request',
    audit: 'never',
    mail: null,
  },
} as const satisfies Record<string, AccountSourceEffects>;

export type AccountSource = keyof typeof accountSources;

/** Returns what a source checks and leaves behind. */
export const effectsOf = (source: AccountSource): AccountSourceEffects => accountSources[source];

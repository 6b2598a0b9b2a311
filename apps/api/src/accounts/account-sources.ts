/**
 * A rule that can prevent account creation. `sign_up`: the project and the provider allow sign-up, or a secret key
 * registers the customer. `required_provider`: no other provider is required for the address's domain.
 */
export type AdmissionRule = 'sign_up' | 'required_provider';

export interface AccountSourceEffects {
  /** The rules that must allow the account. The first rule that fails determines the error. */
  rules: readonly AdmissionRule[];
  /** Condition under which the event `customer.created` is recorded. */
  event: 'always' | 'on_request';
  /** Condition under which the change is audited. Customers' own registrations are recorded only as events. */
  audit: 'always' | 'by_secret_key' | 'never';
  /** The audit entry's details. Default: none. */
  auditDetails?: Record<string, unknown>;
  /** The email to the customer. `verify-email` is sent only if the address is not verified. */
  mail: 'verify-email' | 'accept-invite' | null;
}

const rules = ['sign_up', 'required_provider'] as const;
const auditDetails = { source: 'legacy_sign_in' };

/** The rules that each account source checks, and its effects. docs/accounts.md describes the sources. */
export const accountSources = {
  registration: { rules, event: 'always', audit: 'by_secret_key', mail: 'verify-email' },
  server: { rules: [], event: 'always', audit: 'always', mail: null },
  invitation: { rules: ['required_provider'], event: 'always', audit: 'always', mail: 'accept-invite' },
  email: { rules, event: 'always', audit: 'never', mail: null },
  provider: { rules, event: 'always', audit: 'never', mail: 'verify-email' },
  legacy: { rules: [], event: 'always', audit: 'always', auditDetails, mail: null },
  import: { rules: [], event: 'on_request', audit: 'never', mail: null },
} as const satisfies Record<string, AccountSourceEffects>;

export type AccountSource = keyof typeof accountSources;

/** Returns a source's rules and effects. */
export const effectsOf = (source: AccountSource): AccountSourceEffects => accountSources[source];

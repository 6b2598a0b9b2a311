import type { ProviderProfile } from './provider-profile.js';

/** A local customer, as far as a sign-in by a provider depends on them. */
export interface LocalCustomer {
  email: string;
  emailVerified: boolean;
  disabledAt: Date | null;
}

/** The facts on which a sign-in by a provider depends. */
export interface ProviderSignIn {
  profile: Pick<ProviderProfile, 'email' | 'isEmailTrusted'>;
  /** The customer to whom the identity is linked, or null. With `hidesAccounts`, not one whom `isPending` describes. */
  linked: LocalCustomer | null;
  /** The customer who has the profile's email, or null. */
  owner: LocalCustomer | null;
  /** The customer to whom the identity is linked, and whom `isPending` describes: the owner or another one. */
  pendingAt: 'owner' | 'other' | null;
  /** True if project and provider let customers create accounts. */
  allowSignUp: boolean;
  /** True if no response may reveal whether a customer has an email address. */
  hidesAccounts: boolean;
}

/** The action for a customer who signs in by a provider. */
export type IdentityAction =
  | 'sign_in'
  | 'claim_and_sign_in'
  | 'link'
  | 'claim_and_link'
  | 'create_verified'
  | 'create_unverified';

/** The reason why a customer cannot sign in by a provider; also the parameter `error` in the redirect. */
export type IdentityRejection =
  | 'customer_disabled'
  | 'account_exists'
  | 'email_required'
  | 'sign_up_not_allowed'
  | 'sign_in_failed';

/**
 * The email that the owner of an address receives instead of a response that reveals whether a customer has the
 * address: a notice, a verification email for a new account, the same again, or none.
 */
export type AddressMail = 'notice' | 'sign_up' | 'verification' | null;

export type IdentityDecision =
  | { action: IdentityAction }
  | { rejection: Exclude<IdentityRejection, 'sign_in_failed'> }
  | { rejection: 'sign_in_failed'; mail: AddressMail };

/**
 * Decides on a sign-in by a provider (sign-in contract, section 4, table; requirement FE-03). An identity is linked by
 * a trusted email only; otherwise a person who types another person's email address at their provider would enter that
 * person's account.
 */
export function decideIdentity(signIn: ProviderSignIn): IdentityDecision {
  const { profile, linked, owner, allowSignUp } = signIn;
  if (linked?.disabledAt) return { rejection: 'customer_disabled' };
  if (linked) return { action: provesAddress(linked, profile) ? 'claim_and_sign_in' : 'sign_in' };
  if (profile.email === null) return { rejection: 'email_required' };
  if (signIn.hidesAccounts && !profile.isEmailTrusted)
    return { rejection: 'sign_in_failed', mail: mailTo(signIn) };
  if (owner?.disabledAt) return { rejection: 'customer_disabled' };
  if (owner && !profile.isEmailTrusted) return { rejection: 'account_exists' };
  if (owner) return { action: owner.emailVerified ? 'link' : 'claim_and_link' };
  if (!allowSignUp) return { rejection: 'sign_up_not_allowed' };
  return { action: profile.isEmailTrusted ? 'create_verified' : 'create_unverified' };
}

/** Returns whether a provider proves the email address that a customer has not verified. */
export const provesAddress = (
  { email, emailVerified }: Pick<LocalCustomer, 'email' | 'emailVerified'>,
  profile: ProviderSignIn['profile'],
): boolean => !emailVerified && profile.isEmailTrusted && profile.email === email;

/**
 * Returns whether an identity must be treated as not linked, although it is linked to this customer: no response may
 * reveal accounts, a sign-in that revealed nothing has created the customer, and neither the customer nor the provider
 * has proven the email address. Otherwise a second sign-in would reveal that the first one has created the account (ADR
 * 0098).
 * @param link `isPending`: the identity has never signed the customer in since
 */
export function isPending(
  link: LocalCustomer & { isPending: boolean },
  { profile, hidesAccounts }: Pick<ProviderSignIn, 'profile' | 'hidesAccounts'>,
): boolean {
  if (!hidesAccounts || !link.isPending || link.emailVerified) return false;
  // A person whose account was disabled does not get another one by another address that is proven.
  return !provesAddress(link, profile) && !(link.disabledAt && profile.isEmailTrusted);
}

function mailTo({ owner, pendingAt, allowSignUp }: ProviderSignIn): AddressMail {
  if (owner) return pendingAt === 'owner' && !owner.disabledAt ? 'verification' : 'notice';
  // A person creates one account with addresses that are not proven.
  return allowSignUp && pendingAt === null ? 'sign_up' : null;
}

import type { ProviderProfile } from './provider-profile.js';

/** The customer properties on which a sign-in with a provider depends. */
export interface LocalCustomer {
  email: string;
  emailVerified: boolean;
  disabledAt: Date | null;
}

/** The facts on which a sign-in with a provider depends. */
export interface ProviderSignIn {
  profile: Pick<ProviderProfile, 'email' | 'isEmailTrusted'>;
  /** The customer to whom the identity is linked, or null. Also null if `isPending` returns true for the link. */
  linked: LocalCustomer | null;
  /** The customer with the profile's email address, or null. */
  owner: LocalCustomer | null;
  /** The customer whose link `isPending` reports as pending: the owner or another customer; null if there is none. */
  pendingAt: 'owner' | 'other' | null;
  /** True if the project and the provider allow customers to create accounts. */
  allowSignUp: boolean;
  /** True if no response may reveal whether an email address is registered. */
  hidesAccounts: boolean;
}

/** The action for a successful sign-in with a provider. */
export type IdentityAction =
  | 'sign_in'
  | 'claim_and_sign_in'
  | 'link'
  | 'claim_and_link'
  | 'create_verified'
  | 'create_unverified';

/** The reason why a sign-in with a provider is rejected; also the redirect's `error` parameter. */
export type IdentityRejection =
  | 'customer_disabled'
  | 'account_exists'
  | 'email_required'
  | 'sign_up_not_allowed'
  | 'sign_in_failed';

/**
 * The email that is sent to an address instead of a response that would reveal whether the address is registered: a
 * notice, a verification email for a new account, another verification email for that account, or none.
 */
export type AddressMail = 'notice' | 'sign_up' | 'verification' | null;

export type IdentityDecision =
  | { action: IdentityAction }
  | { rejection: Exclude<IdentityRejection, 'sign_in_failed'> }
  | { rejection: 'sign_in_failed'; mail: AddressMail };

/**
 * Decides on a sign-in with a provider (sign-in contract, section 4, table; requirement FE-03). Only a trusted email
 * address links an identity. Otherwise, a user could enter another person's email address at their provider and gain
 * access to that person's account.
 */
export function decideIdentity(signIn: ProviderSignIn): IdentityDecision {
  const { profile, linked, owner, allowSignUp } = signIn;
  if (linked?.disabledAt) return { rejection: 'customer_disabled' };
  if (linked) return { action: provesAddressOwnership(linked, profile) ? 'claim_and_sign_in' : 'sign_in' };
  if (profile.email === null) return { rejection: 'email_required' };
  if (signIn.hidesAccounts && !profile.isEmailTrusted)
    return { rejection: 'sign_in_failed', mail: mailTo(signIn) };
  if (owner?.disabledAt) return { rejection: 'customer_disabled' };
  if (owner && !profile.isEmailTrusted) return { rejection: 'account_exists' };
  if (owner) return { action: owner.emailVerified ? 'link' : 'claim_and_link' };
  if (!allowSignUp) return { rejection: 'sign_up_not_allowed' };
  return { action: profile.isEmailTrusted ? 'create_verified' : 'create_unverified' };
}

/** Returns whether a provider verifies the email address of a customer who has not verified it. */
export const provesAddressOwnership = (
  { email, emailVerified }: Pick<LocalCustomer, 'email' | 'emailVerified'>,
  profile: ProviderSignIn['profile'],
): boolean => !emailVerified && profile.isEmailTrusted && profile.email === email;

/**
 * Returns whether a linked identity must be treated as not linked. This is the case if no response may reveal accounts,
 * the customer was created by a sign-in whose response revealed nothing, and neither the customer nor the provider has
 * verified the email address. Otherwise, a second sign-in would reveal that the first one created the account (ADR
 * 0098).
 * @param link `isPending`: true until the identity signs the customer in
 */
export function isPending(
  link: LocalCustomer & { isPending: boolean },
  { profile, hidesAccounts }: Pick<ProviderSignIn, 'profile' | 'hidesAccounts'>,
): boolean {
  if (!hidesAccounts || !link.isPending || link.emailVerified) return false;
  // A disabled customer cannot create another account with a different verified address.
  return !provesAddressOwnership(link, profile) && !(link.disabledAt && profile.isEmailTrusted);
}

function mailTo({ owner, pendingAt, allowSignUp }: ProviderSignIn): AddressMail {
  if (owner) return pendingAt === 'owner' && !owner.disabledAt ? 'verification' : 'notice';
  // An identity creates at most one account with unverified addresses.
  return allowSignUp && pendingAt === null ? 'sign_up' : null;
}

import type { ProviderClaims } from './provider-profile.js';

/** A provider type's properties, apart from its protocol. */
export interface ProviderPreset {
  /** The default name on the provider's sign-in button. */
  name: string;
  /** The default `issuer`; null if each provider of this type has its own. */
  issuer: string | null;
  /** Matches other issuers of the same service, such as its tenants' issuers. */
  issuerPattern?: RegExp;
  /** True if a provider of this type can have a custom issuer, such as a self-managed server. */
  allowsCustomIssuer: boolean;
  /** True if paths are appended to the issuer, which therefore must not end with a slash. */
  issuerIsBaseUrl?: boolean;
  /** False if the provider ignores `max_age` and its id tokens do not contain `auth_time`. */
  canReauthenticate: boolean;
  /** True if apps can send an id token that they received in a native sign-in. */
  hasNativeSignIn?: boolean;
  /**
   * True if accounts of the service always belong to individuals, not to organizations. A provider with the service's
   * issuer cannot have domains.
   */
  isPersonal?: boolean;
  /**
   * Returns whether the service has verified that the user owns the email address in the claims. Absent if the service
   * never verifies it. `isEmailTrusted` calls this only for claims from the service itself.
   * @param emailDomain the email domain in canonical form
   */
  isEmailVerified?(claims: ProviderClaims, emailDomain: string): boolean;
}

/**
 * Returns whether a provider can prove when a user last signed in, so that `max_age` and `prompt=login` can be
 * verified.
 */
export const canReauthenticate = (
  preset: Pick<ProviderPreset, 'canReauthenticate'>,
  { sendsAuthTime }: { sendsAuthTime: boolean | null },
): boolean => preset.canReauthenticate && sendsAuthTime !== false;

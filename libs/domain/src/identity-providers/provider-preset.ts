import type { ProviderClaims } from './provider-profile.js';

/** The properties of a provider type that do not depend on its protocol. */
export interface ProviderPreset {
  /** Shown on the provider's button. */
  name: string;
  /** The default `issuer`; null if each provider has its own. */
  issuer: string | null;
  /** Matches the same service's other issuers, such as its tenants' issuers. */
  issuerPattern?: RegExp;
  /** True if a provider of this type can have another issuer, such as a self-managed server's issuer. */
  allowsOwnIssuer: boolean;
  /** True if paths are added to the issuer, which therefore must not end with a slash. */
  isBaseUrl?: boolean;
  /** False if the provider neither requests a new proof of identity nor states its time (`max_age`, `auth_time`). */
  canReauthenticate: boolean;
  /** True if apps can send the id token from a native sign-in. */
  hasNativeSignIn?: boolean;
  /**
   * True if the service's accounts belong to persons, never to an organization. A provider with its issuer has no
   * domains.
   */
  isPersonal?: boolean;
  /**
   * Returns whether the service has verified that the person owns the email in the claims. Absent if it never does.
   * `isEmailTrusted` calls this only for claims from the service itself.
   * @param emailDomain the email's domain in canonical form
   */
  isEmailVerified?(claims: ProviderClaims, emailDomain: string): boolean;
}

/** Returns whether a provider can prove when a person has signed in, as `max_age` and `prompt=login` require. */
export const canReauthenticate = (
  preset: Pick<ProviderPreset, 'canReauthenticate'>,
  { statesAuthTime }: { statesAuthTime: boolean | null },
): boolean => preset.canReauthenticate && statesAuthTime !== false;

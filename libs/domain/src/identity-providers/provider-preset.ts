import type { ProviderClaims } from './provider-profile.js';

/** The properties of a type of provider that do not depend on its protocol. */
export interface ProviderPreset {
  /** Shown on the button of the provider. */
  name: string;
  /** Default of the provider's `issuer`; null if each provider has its own. */
  issuer: string | null;
  /** Matches the other issuers of the same service, such as those of its tenants. */
  issuerPattern?: RegExp;
  /** True if a provider of this type can have another issuer, such as that of a self-managed server. */
  allowsOwnIssuer: boolean;
  /** True if paths are added to the issuer, which therefore must not end with a slash. */
  isBaseUrl?: boolean;
  /** False if the provider neither asks for a new proof of identity nor names its time (`max_age`, `auth_time`). */
  canReauthenticate: boolean;
  /** True if apps can send the id token of a native sign-in. */
  hasNativeSignIn?: boolean;
  /**
   * True if the accounts of the service belong to persons, never to an organization. A provider with its issuer has no
   * domains.
   */
  isPersonal?: boolean;
  /**
   * Returns whether the service has verified that the person owns the email in the claims. Absent if it never does.
   * `isEmailTrusted` calls this only for claims of the service itself.
   * @param emailDomain domain of the email in canonical form
   */
  isEmailVerified?(claims: ProviderClaims, emailDomain: string): boolean;
}

/** Returns whether a provider can prove when a person has signed in, as `max_age` and `prompt=login` require. */
export const canReauthenticate = (
  preset: Pick<ProviderPreset, 'canReauthenticate'>,
  { statesAuthTime }: { statesAuthTime: boolean | null },
): boolean => preset.canReauthenticate && statesAuthTime !== false;

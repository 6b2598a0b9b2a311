/** The identity provider types. `oidc` is any OpenID Provider; the others are presets. */
export const identityProviderTypes = [
  'google',
  'github',
  'microsoft',
  'apple',
  'gitlab',
  'discord',
  'oidc',
] as const;
export type IdentityProviderType = (typeof identityProviderTypes)[number];

/** A service that signs customers in to a project, without its protocol settings (sign-in contract, section 4). */
export interface IdentityProvider {
  id: string;
  projectId: string;
  /** Identifies the provider in its project, and in the API's routes. */
  slug: string;
  type: IdentityProviderType;
  /** Shown on the provider's button. */
  name: string;
  /** The issuer of id tokens, or the base URL for a provider without OpenID Connect. */
  issuer: string;
  enabled: boolean;
  /** False if only customers who exist or are linked can sign in. */
  allowSignUp: boolean;
  /** True if the emails in its verified domains are trusted. Always false at a preset's own service. */
  trustEmail: boolean;
  /** True if customers with an email address in its verified domains can sign in with this provider only. */
  required: boolean;
  /**
   * States whether its id tokens contain `auth_time`; null if no id token has shown this since the provider was last
   * changed.
   */
  statesAuthTime: boolean | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Maximum identity providers per project. */
export const MAX_IDENTITY_PROVIDERS = 50;

/** Maximum identities per customer in an import. */
export const MAX_IMPORTED_IDENTITIES = 20;

/** Seconds for which a customer can complete a sign-in at a provider (sign-in contract, section 2). */
export const OAUTH_FLOW_TTL = 10 * 60;

/**
 * The reasons why a browser returns from a provider without a code, as in the redirect's parameter `error` (sign-in
 * contract, section 2).
 */
export const redirectErrors = [
  'access_denied',
  'account_exists',
  'email_required',
  'sign_up_not_allowed',
  'customer_disabled',
  'provider_unavailable',
  'sign_in_failed',
] as const;
export type RedirectError = (typeof redirectErrors)[number];

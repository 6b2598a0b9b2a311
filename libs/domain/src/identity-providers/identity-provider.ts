/** The types of identity providers. `oidc` is any OpenID Provider; the others are presets. */
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

/**
 * A service that signs customers in to a project, without the settings of its protocol (sign-in contract, section 4).
 */
export interface IdentityProvider {
  id: string;
  projectId: string;
  /** Identifies the provider in its project, and in the routes of the API. */
  slug: string;
  type: IdentityProviderType;
  /** Shown on the button of the provider. */
  name: string;
  /** The issuer of id tokens, or the base URL of a provider without OpenID Connect. */
  issuer: string;
  enabled: boolean;
  /** False if only customers who exist or are linked can sign in. */
  allowSignUp: boolean;
  /** True if the emails in its verified domains are trusted. Always false at the service of a preset. */
  trustEmail: boolean;
  /** True if customers with an address in its verified domains can sign in with this provider only. */
  required: boolean;
  /** Whether its id tokens contain `auth_time`; null if none has shown it since the last change of the provider. */
  statesAuthTime: boolean | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Maximum number of identity providers of a project. */
export const MAX_IDENTITY_PROVIDERS = 50;

/** Maximum number of identities of a customer in an import. */
export const MAX_IMPORTED_IDENTITIES = 20;

/** Seconds for which a customer can complete a sign-in at a provider (sign-in contract, section 2). */
export const OAUTH_FLOW_TTL = 10 * 60;

/**
 * Why a browser returns from a provider without a code, as the parameter `error` of the redirect names it (sign-in
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

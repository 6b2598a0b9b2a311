/** The identity provider types. `oidc` is any OpenID Provider; the other types are presets. */
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
  /** Identifies the provider in its project and in the API routes. */
  slug: string;
  type: IdentityProviderType;
  /** The name on the provider's sign-in button. */
  name: string;
  /** The id token issuer, or the base URL of a provider without OpenID Connect. */
  issuer: string;
  enabled: boolean;
  /** False if only existing customers can sign in. */
  allowSignUp: boolean;
  /** True if email addresses in its verified domains are trusted. Always false for a preset's own service. */
  trustEmail: boolean;
  /** True if customers with an email address in its verified domains can sign in only with this provider. */
  required: boolean;
  /**
   * True if its id tokens contain `auth_time`. Null after the provider has changed, until the next id token shows
   * whether they do.
   */
  sendsAuthTime: boolean | null;
  createdAt: Date;
  updatedAt: Date;
}

/** Maximum identity providers per project. */
export const MAX_IDENTITY_PROVIDERS = 50;

/** Maximum identities per customer in an import. */
export const MAX_IMPORTED_IDENTITIES = 20;

/** Maximum time to complete a sign-in with a provider, in seconds (sign-in contract, section 2). */
export const OAUTH_FLOW_TTL = 10 * 60;

/** The errors in the `error` parameter of a redirect from a provider without a code (sign-in contract, section 2). */
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

import type { ProviderClaims } from './provider-profile.js';

/** The endpoints of a provider without discovery. */
export interface OAuthEndpoints {
  /** The issuer that authorization responses name (RFC 9207). */
  issuer: string;
  authorization: string;
  token: string;
}

/** Requests a resource of the provider with the access token of the person, and returns the JSON of the response. */
export type FetchResource = (url: string) => Promise<unknown>;

/** The resources of a provider about the person of an access token. */
export interface PersonResources {
  fetchResource: FetchResource;
  /** Returns null if the provider does not return the resource. The sign-in continues without it. */
  fetchOptional: FetchResource;
}

/** How Gatehouse talks to a provider that has OAuth 2.0, but not OpenID Connect. */
export interface OAuthApi {
  endpoints(issuer: string): OAuthEndpoints;
  /** Returns the person of the access token as standard claims. `sub` is missing if the responses are not as expected. */
  loadClaims(issuer: string, resources: PersonResources): Promise<ProviderClaims>;
}

/** The properties of a type of provider. To add one, add a file to this folder and list it in `index.ts`. */
export interface ProviderPreset {
  /** Shown on the button of the provider. */
  name: string;
  /** Default of the provider's `issuer`; null if each provider has its own. */
  issuer: string | null;
  /** Matches the other issuers of the same service, such as those of its tenants. */
  issuerPattern?: RegExp;
  /** True if a provider of this type can have another issuer, such as that of a self-managed server. */
  allowsOwnIssuer: boolean;
  scopes: string[];
  /** Additional parameters of the authorization request. */
  authorizationParameters?: Record<string, string>;
  /** True if the client secret is a token that Gatehouse signs with the private key of the provider. */
  signsClientSecret?: boolean;
  /** False if the provider neither asks for a new proof of identity nor names its time (`max_age`, `auth_time`). */
  canReauthenticate: boolean;
  /** True if apps can send the id token of a native sign-in. */
  hasNativeSignIn?: boolean;
  /**
   * True if the accounts of the service belong to persons, never to an organization. A provider with its issuer has no
   * domains.
   */
  isPersonal?: boolean;
  /** Absent for OpenID Providers. */
  oauth?: OAuthApi;
  /**
   * Returns whether the service has verified that the person owns the email in the claims. Absent if it never does.
   * `isEmailTrusted` calls this only for claims of the service itself.
   * @param emailDomain domain of the email in canonical form
   */
  isEmailVerified?(claims: ProviderClaims, emailDomain: string): boolean;
}

import type { ProviderClaims } from '@gatehouse/domain';
import type { OAuthClientPreset } from '../../oauth-client/oauth-client-settings.js';

/** The endpoints of a provider without discovery. */
export interface OAuthEndpoints {
  /** The issuer that authorization responses contain (RFC 9207). */
  issuer: string;
  authorization: string;
  token: string;
}

/** Requests a resource from the provider with the access token, and returns the response JSON. */
export type FetchResource = (url: string) => Promise<unknown>;

/** The provider's resources that the access token can read. */
export interface ProviderResources {
  fetchResource: FetchResource;
  /** Returns null if the provider does not return the resource. The sign-in continues without it. */
  fetchOptional: FetchResource;
}

/** Properties of a service that supports OAuth 2.0, but not OpenID Connect. */
export interface OAuth2Preset extends OAuthClientPreset {
  endpoints(issuer: string): OAuthEndpoints;
  /** Returns the access token's owner as standard claims. `sub` is missing if a response has an unexpected format. */
  loadClaims(issuer: string, resources: ProviderResources): Promise<ProviderClaims>;
}

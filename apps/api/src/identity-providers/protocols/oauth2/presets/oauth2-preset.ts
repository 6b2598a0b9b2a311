import type { ProviderClaims } from '@gatehouse/domain';
import type { OAuthClientPreset } from '../../oauth-client/oauth-client-settings.js';

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

/** The properties of a service that has OAuth 2.0, but not OpenID Connect. */
export interface OAuth2Preset extends OAuthClientPreset {
  endpoints(issuer: string): OAuthEndpoints;
  /** Returns the person of the access token as standard claims. `sub` is missing if the responses are not as expected. */
  loadClaims(issuer: string, resources: PersonResources): Promise<ProviderClaims>;
}

import type { ProviderClaims } from '@gatehouse/domain';
import type { OAuthClientPreset } from '../../oauth-client/oauth-client-settings.js';

/** The endpoints for a provider without discovery. */
export interface OAuthEndpoints {
  /** The issuer that authorization responses name (RFC 9207). */
  issuer: string;
  authorization: string;
  token: string;
}

/** Requests a resource from the provider with the person's access token, and returns the response's JSON. */
export type FetchResource = (url: string) => Promise<unknown>;

/** A provider's resources about the person to whom an access token belongs. */
export interface PersonResources {
  fetchResource: FetchResource;
  /** Returns null if the provider does not return the resource. The sign-in continues without it. */
  fetchOptional: FetchResource;
}

/** Properties of a service that has OAuth 2.0, but not OpenID Connect. */
export interface OAuth2Preset extends OAuthClientPreset {
  endpoints(issuer: string): OAuthEndpoints;
  /**
   * Returns the person to whom the access token belongs as standard claims. `sub` is missing if the responses are not
   * as expected.
   */
  loadClaims(issuer: string, resources: PersonResources): Promise<ProviderClaims>;
}

import type { OAuthClientPreset } from '../../oauth-client/oauth-client-settings.js';

/** Properties of a service that supports OpenID Connect. */
export interface OpenIdConnectPreset extends OAuthClientPreset {
  /** Additional parameters for the authorization request. */
  authorizationParameters?: Record<string, string>;
}

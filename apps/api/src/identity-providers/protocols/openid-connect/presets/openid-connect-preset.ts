import type { OAuthClientPreset } from '../../oauth-client/oauth-client-settings.js';

/** The properties of a service with OpenID Connect. */
export interface OpenIdConnectPreset extends OAuthClientPreset {
  /** Additional parameters of the authorization request. */
  authorizationParameters?: Record<string, string>;
}

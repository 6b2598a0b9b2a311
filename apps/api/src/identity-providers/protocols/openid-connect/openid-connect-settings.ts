import type { OAuthClientSettings } from '../oauth-client/oauth-client-settings.js';

/** What a client of OpenID Connect needs to know. */
export interface OpenIdConnectSettings extends OAuthClientSettings {
  /** Further client ids whose id tokens are accepted in native sign-ins. Default: none. */
  clientIds?: string[];
  /** True if the id tokens of native sign-ins must contain the nonce of the request. Default: false. */
  requireNonce?: boolean;
  /** Of Microsoft: ids of the only tenants whose accounts may sign in. Default: all. */
  tenants?: string[];
  /** Of Apple: id of the team. */
  teamId?: string | null;
  /** Of Apple: id of the private key. */
  keyId?: string | null;
  /** Of Apple: signs client secrets, in PEM. */
  privateKey?: string | null;
}

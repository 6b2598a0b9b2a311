import type { ProviderPreset } from '../provider-preset.js';

/** Any OpenID Provider. */
export const oidc: ProviderPreset = {
  name: 'OpenID Connect',
  issuer: null,
  allowsOwnIssuer: true,
  scopes: ['openid', 'email', 'profile'],
  canReauthenticate: true,
};

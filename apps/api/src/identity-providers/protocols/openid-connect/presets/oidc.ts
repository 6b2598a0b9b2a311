import type { OpenIdConnectPreset } from './openid-connect-preset.js';

/** Any OpenID Provider. */
export const oidc: OpenIdConnectPreset = {
  name: 'OpenID Connect',
  issuer: null,
  allowsCustomIssuer: true,
  scopes: ['openid', 'email', 'profile'],
  canReauthenticate: true,
};

import type { OpenIdConnectPreset } from './openid-connect-preset.js';

/** GitLab (https://docs.gitlab.com/integration/openid_connect_provider). Self-managed servers set their own rules for emails. */
export const gitlab: OpenIdConnectPreset = {
  name: 'GitLab',
  issuer: 'https://gitlab.com',
  allowsCustomIssuer: true,
  scopes: ['openid', 'email', 'profile'],
  canReauthenticate: true,
};

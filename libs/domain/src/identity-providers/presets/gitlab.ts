import type { ProviderPreset } from '../provider-preset.js';

/** GitLab (https://docs.gitlab.com/integration/openid_connect_provider). Self-managed servers set their own rules for emails. */
export const gitlab: ProviderPreset = {
  name: 'GitLab',
  issuer: 'https://gitlab.com',
  allowsOwnIssuer: true,
  scopes: ['openid', 'email', 'profile'],
  canReauthenticate: true,
};

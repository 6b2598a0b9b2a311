import { emailDomain } from '../provider-profile.js';
import type { ProviderPreset } from '../provider-preset.js';

/** Any OpenID Provider. Its emails are trusted in domains whose ownership the project has proven. */
export const oidc: ProviderPreset = {
  name: 'OpenID Connect',
  issuer: null,
  allowsOwnIssuer: true,
  scopes: ['openid', 'email', 'profile'],
  canReauthenticate: true,
  isEmailTrusted: ({ email, email_verified: isVerified }, { trustEmail, domains }) =>
    trustEmail &&
    typeof email === 'string' &&
    isVerified !== false &&
    isVerified !== 'false' &&
    domains.includes(emailDomain(email.toLowerCase())),
};

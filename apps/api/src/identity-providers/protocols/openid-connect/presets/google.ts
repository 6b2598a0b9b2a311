import type { OpenIdConnectPreset } from './openid-connect-preset.js';

/**
 * Google (https://developers.google.com/identity/openid-connect/openid-connect). Google is authoritative for
 * addresses in Gmail and in Workspace domains (`hd`). It verifies other addresses once, but their owner can change.
 */
export const google: OpenIdConnectPreset = {
  name: 'Google',
  issuer: 'https://accounts.google.com',
  allowsCustomIssuer: false,
  scopes: ['openid', 'email', 'profile'],
  canReauthenticate: false,
  hasNativeSignIn: true,
  isEmailVerified: ({ email_verified: isVerified, hd }, emailDomain) =>
    isVerified === true && ((typeof hd === 'string' && hd !== '') || emailDomain === 'gmail.com'),
};

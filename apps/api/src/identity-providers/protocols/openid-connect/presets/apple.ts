import type { OpenIdConnectPreset } from './openid-connect-preset.js';

/**
 * Apple (https://developer.apple.com/documentation/signinwithapple). Responds with `form_post` if the scopes
 * include `name` or `email`, and sends boolean claims in id tokens as strings or booleans.
 */
export const apple: OpenIdConnectPreset = {
  name: 'Apple',
  issuer: 'https://appleid.apple.com',
  allowsCustomIssuer: false,
  scopes: ['openid', 'email', 'name'],
  canReauthenticate: false,
  authorizationParameters: { response_mode: 'form_post' },
  signsClientSecret: true,
  hasNativeSignIn: true,
  isEmailVerified: ({ email_verified: isVerified }) => isVerified === true || isVerified === 'true',
};

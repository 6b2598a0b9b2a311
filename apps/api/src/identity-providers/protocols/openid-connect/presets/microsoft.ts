import type { OpenIdConnectPreset } from './openid-connect-preset.js';

/** The tenant for consumer accounts, such as outlook.com accounts. */
const CONSUMER_TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';

/**
 * Microsoft (https://learn.microsoft.com/entra/identity-platform/optional-claims-reference). An Entra tenant
 * administrator can set any `email`. `xms_edov` states whether the tenant owns its domain.
 */
export const microsoft: OpenIdConnectPreset = {
  name: 'Microsoft',
  issuer: 'https://login.microsoftonline.com/common/v2.0',
  issuerPattern:
    /^https:\/\/login\.microsoftonline\.com\/(?:organizations|consumers|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})\/v2\.0$/,
  allowsCustomIssuer: true,
  scopes: ['openid', 'email', 'profile'],
  canReauthenticate: true,
  isEmailVerified: ({ tid, xms_edov: isDomainOwned }) =>
    tid === CONSUMER_TENANT || isDomainOwned === true || isDomainOwned === 'true' || isDomainOwned === '1',
};

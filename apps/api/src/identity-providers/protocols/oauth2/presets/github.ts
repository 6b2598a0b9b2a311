import { isJsonObject, type ProviderClaims } from '@gatehouse/domain';
import type { OAuth2Preset, ProviderResources } from './oauth2-preset.js';

const PUBLIC_ISSUER = 'https://github.com';

/** REST API base URL. GitHub Enterprise Server serves its API on the same host. */
const apiUrl = (issuer: string): string =>
  issuer === PUBLIC_ISSUER ? 'https://api.github.com' : `${issuer}/api/v3`;

async function loadClaims(
  issuer: string,
  { fetchResource, fetchOptional }: ProviderResources,
): Promise<ProviderClaims> {
  const user = await fetchResource(`${apiUrl(issuer)}/user`);
  if (!isJsonObject(user) || !Number.isSafeInteger(user['id'])) return {};
  // A GitHub App without the permission "Email addresses" receives a 403.
  const emails = await fetchOptional(`${apiUrl(issuer)}/user/emails`);
  const primary = Array.isArray(emails)
    ? emails.filter(isJsonObject).find(({ primary: isPrimary }) => isPrimary === true)
    : undefined;
  return {
    sub: String(user['id']),
    name: user['name'],
    picture: user['avatar_url'],
    email: primary?.['email'],
    email_verified: primary?.['verified'],
  };
}

/**
 * GitHub (https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps). A profile's public
 * email is not verified, so the primary entry in the email list is used.
 */
export const github: OAuth2Preset = {
  name: 'GitHub',
  issuer: PUBLIC_ISSUER,
  allowsCustomIssuer: true,
  scopes: ['read:user', 'user:email'],
  issuerIsBaseUrl: true,
  canReauthenticate: false,
  isPersonal: true,
  // GitHub has used this issuer since April 2026.
  endpoints: (issuer) => ({
    issuer: `${issuer}/login/oauth`,
    authorization: `${issuer}/login/oauth/authorize`,
    token: `${issuer}/login/oauth/access_token`,
  }),
  loadClaims,
  isEmailVerified: ({ email_verified: isVerified }) => isVerified === true,
};

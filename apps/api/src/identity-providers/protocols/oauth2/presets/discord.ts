import { isJsonObject, readPersonName, type ProviderClaims } from '@gatehouse/domain';
import type { OAuth2Preset, ProviderResources } from './oauth2-preset.js';

async function loadClaims(issuer: string, { fetchResource }: ProviderResources): Promise<ProviderClaims> {
  const user = await fetchResource(`${issuer}/api/users/@me`);
  if (!isJsonObject(user) || typeof user['id'] !== 'string') return {};
  const { id, avatar } = user;
  return {
    sub: id,
    name: readPersonName(user['global_name']) ?? user['username'],
    picture:
      typeof avatar === 'string' && avatar !== ''
        ? `https://cdn.discordapp.com/avatars/${id}/${avatar}.png`
        : undefined,
    email: user['email'],
    email_verified: user['verified'],
  };
}

/**
 * Discord (https://docs.discord.com/developers/topics/oauth2). Its email addresses are not trusted, because accounts
 * are pseudonymous.
 */
export const discord: OAuth2Preset = {
  name: 'Discord',
  issuer: 'https://discord.com',
  allowsCustomIssuer: false,
  scopes: ['identify', 'email'],
  issuerIsBaseUrl: true,
  canReauthenticate: false,
  isPersonal: true,
  endpoints: (issuer) => ({
    issuer,
    authorization: `${issuer}/oauth2/authorize`,
    token: `${issuer}/api/oauth2/token`,
  }),
  loadClaims,
};

import { now } from '@gatehouse/platform';
import { useSecret, type OAuthClientSettings } from '../oauth-client/oauth-client-settings.js';

/** Lifetime of client secrets that Gatehouse signs, in seconds. */
const SIGNED_SECRET_TTL = 5 * 60;

/**
 * Returns a client secret for Apple: a token that is signed with the provider's private key
 * (https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret).
 */
export async function signClientSecret(
  { clientId, teamId, keyId, privateKey }: OAuthClientSettings,
  audience: string,
): Promise<string> {
  const { importPKCS8, SignJWT } = await import('jose');
  const issuedAt = Math.floor(now().getTime() / 1_000);
  return new SignJWT()
    .setProtectedHeader({ alg: 'ES256', kid: keyId! })
    .setIssuer(teamId!)
    .setSubject(clientId)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + SIGNED_SECRET_TTL)
    .sign(await importPKCS8(useSecret(privateKey)!, 'ES256'));
}

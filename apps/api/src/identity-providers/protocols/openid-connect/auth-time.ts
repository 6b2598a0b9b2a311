import { hasPresetIssuer, type IdentityProvider } from '@gatehouse/domain';
import { microsoft } from './presets/microsoft.js';

/**
 * Returns true if a provider's id tokens contain `auth_time`, according to a token with these claims; null if
 * the token does not prove it. Microsoft adds the claim only if the app registration requests it. For other
 * providers, the request determines whether tokens contain it (OpenID Connect Core, section 2), and the user
 * can change the request.
 */
export function detectAuthTimeSupport(
  { type, issuer, sendsAuthTime }: Pick<IdentityProvider, 'type' | 'issuer' | 'sendsAuthTime'>,
  { auth_time: authTime }: { auth_time?: unknown },
): boolean | null {
  const isMicrosoft = type === 'microsoft' || hasPresetIssuer(microsoft, issuer);
  // Once a token has contained the claim, a token without it belongs to another account type.
  return isMicrosoft && sendsAuthTime !== true ? authTime !== undefined : sendsAuthTime;
}

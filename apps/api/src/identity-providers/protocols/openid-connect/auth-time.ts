import { hasPresetIssuer, type IdentityProvider } from '@gatehouse/domain';
import { microsoft } from './presets/microsoft.js';

/**
 * Returns whether the id tokens of a provider contain `auth_time`, after one with these claims; null if it does not show.
 * Microsoft adds the claim only if the app registration asks for it. For other providers, the request decides (OpenID Connect
 * Core, section 2), which the person can change.
 */
export function readStatesAuthTime(
  { type, issuer, statesAuthTime }: Pick<IdentityProvider, 'type' | 'issuer' | 'statesAuthTime'>,
  { auth_time: authTime }: { auth_time?: unknown },
): boolean | null {
  const isMicrosoft = type === 'microsoft' || hasPresetIssuer(microsoft, issuer);
  // Once a token has contained the claim, one without it is about an account of another kind.
  return isMicrosoft && statesAuthTime !== true ? authTime !== undefined : statesAuthTime;
}

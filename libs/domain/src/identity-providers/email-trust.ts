import { isLoopbackUrl } from '../targets/target-policy.js';
import type { IdentityProvider } from './identity-provider.js';
import type { ProviderPreset } from './provider-preset.js';
import { deniesEmail, emailDomain, readEmail, type ProviderClaims } from './provider-profile.js';

/** The provider properties that determine whether its email addresses are trusted. */
export interface EmailSource extends Pick<IdentityProvider, 'issuer' | 'trustEmail'> {
  /** The provider's verified domains. */
  domains: string[];
}

/**
 * Returns whether the issuer is the preset's service, such as github.com, and not a server such as GitHub
 * Enterprise Server. If the type does not allow a custom issuer, a loopback URL can replace the service outside
 * production.
 */
export function hasPresetIssuer(preset: ProviderPreset, issuer: string | null): boolean {
  if (issuer === null) return false;
  if (issuer === preset.issuer || preset.issuerPattern?.test(issuer)) return true;
  return !preset.allowsCustomIssuer && isLoopbackUrl(issuer);
}

/**
 * Returns whether Gatehouse trusts that the email address in the claims belongs to the user (sign-in contract, section
 * 4; ADR 0083). A preset's rule applies only to the preset's own service. Any other server's claims are controlled by
 * its administrator, so its email addresses are trusted only in verified domains.
 */
export function isEmailTrusted(
  preset: ProviderPreset,
  provider: EmailSource,
  claims: ProviderClaims,
): boolean {
  const email = readEmail(claims);
  if (email === null) return false;
  const domain = emailDomain(email);
  if (hasPresetIssuer(preset, provider.issuer)) return preset.isEmailVerified?.(claims, domain) ?? false;
  return provider.trustEmail && !deniesEmail(claims) && provider.domains.includes(domain);
}

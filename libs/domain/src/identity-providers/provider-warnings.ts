import type { ProjectSettings } from '../projects/project-settings.js';
import { hasPresetIssuer } from './email-trust.js';
import type { IdentityProvider } from './identity-provider.js';
import type { ProviderPreset } from './provider-preset.js';

/** The codes of warnings about providers. */
export const providerWarningCodes = ['existing_customers_excluded', 'new_customers_unverified'] as const;

/** An effect of valid settings that an operator may not expect. */
export interface ProviderWarning {
  code: (typeof providerWarningCodes)[number];
  /** The effect and its remedy. */
  message: string;
}

/** A provider with its domains, verified or not. */
type CheckedProvider = Pick<IdentityProvider, 'slug' | 'issuer' | 'enabled' | 'trustEmail' | 'required'> & {
  domains: string[];
};

/** Returns whether email addresses from a provider are never trusted. */
const isNeverTrusted = (preset: ProviderPreset, { issuer, trustEmail }: CheckedProvider): boolean =>
  hasPresetIssuer(preset, issuer) ? preset.isEmailVerified === undefined : !trustEmail;

/**
 * Returns the warnings about an enabled provider that is required in its domains although its email addresses are not
 * trusted. Customers in these domains have no other sign-in method.
 */
export function providerWarnings(
  preset: ProviderPreset,
  provider: CheckedProvider,
  { requireVerifiedEmail, enumerationProtection }: ProjectSettings,
): ProviderWarning[] {
  const { slug, enabled, required, domains } = provider;
  if (!enabled || !required || domains.length === 0 || !isNeverTrusted(preset, provider)) return [];
  const remedy = 'Set trustEmail to true, or set required to false.';
  const warnings: ProviderWarning[] = [
    {
      code: 'existing_customers_excluded',
      message: `Customers with an email address in a domain of ${slug} but no linked identity cannot sign in, because Gatehouse does not trust email addresses from this required provider. ${remedy}`,
    },
  ];
  if (requireVerifiedEmail || enumerationProtection)
    warnings.push({
      code: 'new_customers_unverified',
      message: `New customers with an email address in a domain of ${slug} can sign in only after they have opened the link in a verification email, because the project requires a verified address and Gatehouse does not trust email addresses from this required provider. ${remedy}`,
    });
  return warnings;
}

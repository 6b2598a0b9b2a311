import type { FieldError } from '../errors/gatehouse-error.js';
import { isLoopbackUrl, targetUrlProblem, type TargetPolicy } from '../webhooks/target-policy.js';
import { hasPresetIssuer } from './email-trust.js';
import type { IdentityProvider } from './identity-provider.js';
import { providerPresets } from './presets/index.js';
import type { ProviderPreset } from './provider-preset.js';
import type { ProviderSettings } from './provider-settings.js';

/** A provider whose individual fields are valid, and which secrets it has. */
export type ProviderToCheck = Pick<IdentityProvider, 'type'> &
  ProviderSettings & {
    /** Null if it is missing, which `issuerErrors` reports. */
    issuer: string | null;
    hasClientSecret: boolean;
    hasPrivateKey: boolean;
    domains: string[];
  };

/** Returns the errors of the issuer of a new provider; null is the default of its type. */
export function issuerErrors(
  type: IdentityProvider['type'],
  issuer: string | null,
  policy: TargetPolicy,
): FieldError[] {
  const preset = providerPresets[type];
  if (issuer === null) return preset.issuer === null ? [requiredError('issuer', type)] : [];
  const problem = issuerProblem(preset, issuer, policy);
  return problem ? [{ field: 'issuer', code: 'invalid', message: `issuer ${problem}` }] : [];
}

function issuerProblem(preset: ProviderPreset, issuer: string, policy: TargetPolicy): string | null {
  if (issuer === preset.issuer) return null;
  const problem = targetUrlProblem(issuer, policy);
  if (problem) return problem;
  if (issuer.includes('?')) return 'must not contain a query';
  if (preset.oauth && issuer.endsWith('/')) return 'must not end with a slash';
  if (preset.allowsOwnIssuer || (!policy.production && isLoopbackUrl(issuer))) return null;
  return `must be ${preset.issuer}, or outside production a loopback URL, for a provider of this type`;
}

/** Returns the errors of the fields that are inconsistent with the type of the provider, or missing. */
export function providerErrors(provider: ProviderToCheck): FieldError[] {
  const { type, clientId, clientIds, tenants, scopes, trustEmail, requireNonce } = provider;
  const { domains, required } = provider;
  const preset = providerPresets[type];
  const isPersonal = preset.isPersonal && hasPresetIssuer(provider);
  const errors = [...credentialErrors(provider, preset)];
  if (clientId === '') errors.push(requiredError('clientId', type));
  if (clientIds.length > 0 && !preset.hasNativeSignIn)
    errors.push(notAllowedError('clientIds', 'google and apple'));
  if (requireNonce && !preset.hasNativeSignIn)
    errors.push(notAllowedError('requireNonce', 'google and apple'));
  if (tenants.length > 0 && type !== 'microsoft') errors.push(notAllowedError('tenants', 'microsoft'));
  if (trustEmail && (!preset.allowsOwnIssuer || hasPresetIssuer(provider)))
    errors.push(
      notAllowedError(
        'trustEmail',
        'oidc, and for github, gitlab and microsoft with the issuer of another server',
      ),
    );
  if (isPersonal && domains.length > 0) errors.push(organizationsOnlyError('domains'));
  if (isPersonal && required) errors.push(organizationsOnlyError('required'));
  if (!preset.oauth && !scopes.includes('openid'))
    errors.push({ field: 'scopes', code: 'invalid', message: 'scopes must contain openid' });
  return errors;
}

/** Returns the errors of what the provider authenticates with as a client. */
function credentialErrors(provider: ProviderToCheck, { signsClientSecret }: ProviderPreset): FieldError[] {
  const { type, teamId, keyId, hasPrivateKey, hasClientSecret } = provider;
  const signing = Object.entries({ teamId, keyId, privateKey: hasPrivateKey || null });
  if (signsClientSecret)
    return [
      ...signing.filter(([, value]) => value === null).map(([field]) => requiredError(field, type)),
      ...(hasClientSecret
        ? [
            {
              field: 'clientSecret',
              code: 'not_allowed',
              message: `clientSecret is not available for ${type}, whose client secrets privateKey signs`,
            },
          ]
        : []),
    ];
  return [
    ...signing.filter(([, value]) => value !== null).map(([field]) => notAllowedError(field, 'apple')),
    // A client of an OpenID Provider can be public.
    ...(hasClientSecret || type === 'oidc' ? [] : [requiredError('clientSecret', type)]),
  ];
}

const requiredError = (field: string, type: string): FieldError => ({
  field,
  code: 'required',
  message: `${field} is required for a provider of the type ${type}`,
});

const notAllowedError = (field: string, types: string): FieldError => ({
  field,
  code: 'not_allowed',
  message: `${field} is available only for ${types}`,
});

const organizationsOnlyError = (field: string): FieldError => ({
  field,
  code: 'not_allowed',
  message: `${field} is not available for github.com and discord, whose accounts belong to persons`,
});

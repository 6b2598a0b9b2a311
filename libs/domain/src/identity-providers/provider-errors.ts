import type { FieldError } from '../errors/gatehouse-error.js';
import { isLoopbackUrl, targetUrlProblem, type TargetPolicy } from '../targets/target-policy.js';
import { hasPresetIssuer } from './email-trust.js';
import type { ProviderPreset } from './provider-preset.js';
import type { ProviderSettings } from './provider-settings.js';

/** A provider whose individual fields are valid. */
export interface ProviderToCheck extends Pick<ProviderSettings, 'trustEmail' | 'required'> {
  /** Null if it is missing. `issuerErrors` reports this. */
  issuer: string | null;
  domains: string[];
}

/** Returns the errors in a new provider's issuer. A null issuer stands for the type's default. */
export function issuerErrors(
  type: string,
  preset: ProviderPreset,
  issuer: string | null,
  policy: TargetPolicy,
): FieldError[] {
  if (issuer === null) return preset.issuer === null ? [requiredError('issuer', type)] : [];
  const problem = issuerProblem(preset, issuer, policy);
  return problem ? [{ field: 'issuer', code: 'invalid', message: `issuer ${problem}` }] : [];
}

function issuerProblem(preset: ProviderPreset, issuer: string, policy: TargetPolicy): string | null {
  if (issuer === preset.issuer) return null;
  const problem = targetUrlProblem(issuer, policy);
  if (problem) return problem;
  if (issuer.includes('?')) return 'must not contain a query';
  if (preset.issuerIsBaseUrl && issuer.endsWith('/')) return 'must not end with a slash';
  if (preset.allowsCustomIssuer || (!policy.production && isLoopbackUrl(issuer))) return null;
  return `must be ${preset.issuer} for a provider of this type, or a loopback URL outside production`;
}

/** Returns the errors in fields that are not allowed for the provider's type. */
export function providerErrors(
  preset: ProviderPreset,
  { issuer, trustEmail, domains, required }: ProviderToCheck,
): FieldError[] {
  const isPresetService = hasPresetIssuer(preset, issuer);
  const isPersonal = preset.isPersonal && isPresetService;
  const errors: FieldError[] = [];
  if (trustEmail && (!preset.allowsCustomIssuer || isPresetService))
    errors.push(
      notAllowedError('trustEmail', 'oidc, and for github, gitlab and microsoft with a custom issuer'),
    );
  if (isPersonal && domains.length > 0) errors.push(organizationsOnlyError('domains'));
  if (isPersonal && required) errors.push(organizationsOnlyError('required'));
  return errors;
}

/** Creates the error for a missing field that a provider of this type requires. */
export const requiredError = (field: string, type: string): FieldError => ({
  field,
  code: 'required',
  message: `${field} is required for a provider of type ${type}`,
});

/** Creates the error for a field that only other types have. */
export const notAllowedError = (field: string, types: string): FieldError => ({
  field,
  code: 'not_allowed',
  message: `${field} is available only for ${types}`,
});

const organizationsOnlyError = (field: string): FieldError => ({
  field,
  code: 'not_allowed',
  message: `${field} is not available for github.com and discord, because their accounts are personal`,
});

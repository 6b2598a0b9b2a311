import type { Customer } from '../customers/customer.js';
import { GatehouseError } from '../errors/gatehouse-error.js';
import { effectiveMfa } from '../factors/factor.js';
import { effectiveRpId } from '../passkeys/relying-party.js';
import type { ProjectSettings } from './project-settings.js';
import type { ProjectContext } from './project.js';

/** @throws GatehouseError `method_not_enabled` if the project's customers cannot sign in with this method */
export function assertMethodEnabled(
  { settings }: Pick<ProjectContext, 'settings'>,
  method: 'password' | 'emailCode' | 'passkey',
): void {
  if (!settings.signIn[method]) throw new GatehouseError('method_not_enabled');
}

/** The methods with which a customer can sign in. */
export interface CustomerSignInMethods {
  hasPassword: boolean;
  /** The number of passkeys. */
  passkeys: number;
  /** The slugs of the enabled providers with which the customer has identities. */
  identities: string[];
  /** The slug of the provider that the customer's email domain requires, or null. */
  requiredProvider: string | null;
}

/** Returns whether a customer can sign in to a project. A required provider excludes all other methods. */
export function hasSignInMethod(
  { settings: { signIn } }: Pick<ProjectContext, 'settings'>,
  { hasPassword, passkeys, identities, requiredProvider }: CustomerSignInMethods,
): boolean {
  if (requiredProvider !== null) return identities.includes(requiredProvider);
  const hasIdentity = identities.length > 0;
  return (
    signIn.emailCode || (signIn.password && hasPassword) || (signIn.passkey && passkeys > 0) || hasIdentity
  );
}

/** Returns whether a customer of a project can use second factors. */
export const isMfaEnabled = (
  { settings }: Pick<ProjectContext, 'settings'>,
  { mfa }: Pick<Customer, 'mfa'>,
): boolean => effectiveMfa(settings.mfa, mfa) !== 'off';

/** @throws GatehouseError `method_not_enabled` if the customer cannot use second factors */
export function assertMfaEnabled(
  project: Pick<ProjectContext, 'settings'>,
  customer: Pick<Customer, 'mfa'>,
): void {
  if (!isMfaEnabled(project, customer)) throw new GatehouseError('method_not_enabled');
}

/** Returns whether a settings change turns on second factors or passkeys, which earlier versions ignore. */
export const enablesSignInMethod = (
  before: ProjectSettings,
  after: ProjectSettings,
  config: { production: boolean },
): boolean =>
  (before.mfa === 'off' && after.mfa !== 'off') ||
  (!before.signIn.passkey && after.signIn.passkey) ||
  (effectiveRpId(before.passkeys, config) === null && effectiveRpId(after.passkeys, config) !== null);

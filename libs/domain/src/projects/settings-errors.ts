import type { FieldError } from '../errors/gatehouse-error.js';
import { passkeySettingsErrors } from '../passkeys/relying-party.js';
import { targetUrlProblem, type TargetPolicy } from '../targets/target-policy.js';
import { isSecureOrigin } from '../urls/page-url.js';
import type { Environment } from './project.js';
import type { ProjectSettings, SignInSettings } from './project-settings.js';
import type { SettingsPatch } from './settings-patch.js';
import { isWildcard } from './wildcard-url.js';

/** The target policy and the project to which a patch is applied. */
interface SettingsContext extends TargetPolicy {
  environment: Environment;
  /** The settings before the patch. */
  before: ProjectSettings;
  /** True if one of the project's identity providers is enabled. */
  hasProvider: boolean;
}

/**
 * Returns the errors in a patch whose individual fields are valid: settings that are inconsistent after the merge, and
 * settings that production does not allow. Each error refers to a request field.
 */
export function settingsErrors(
  patch: SettingsPatch,
  merged: ProjectSettings,
  { environment, before, hasProvider, ...targets }: SettingsContext,
): FieldError[] {
  const { production } = targets;
  const errors: FieldError[] = [];
  if (production && patch.allowedOrigins && !patch.allowedOrigins.every(isSecureOrigin)) {
    errors.push(fieldError('allowedOrigins', 'must use https in production, except for localhost'));
  }
  if (environment === 'production' && patch.redirectUrls?.some(isWildcard)) {
    errors.push(fieldError('redirectUrls', 'must not contain wildcards in a production project'));
  }
  const needsProvider = !merged.signIn.password && !merged.signIn.emailCode;
  if (patch.signIn !== undefined && needsProvider && !hasProvider) {
    const setting = patch.signIn?.password === false ? 'signIn.password' : 'signIn.emailCode';
    errors.push(
      fieldError(
        setting,
        'cannot be false without an enabled identity provider, because customers need a sign-in method',
      ),
    );
  }
  if (patch.legacySignIn && merged.legacySignIn) {
    const problem = targetUrlProblem(merged.legacySignIn.url, targets);
    if (problem) errors.push(fieldError('legacySignIn.url', problem));
    if (!before.legacySignIn && patch.legacySignIn.secret === undefined)
      errors.push(fieldError('legacySignIn.secret', 'is required'));
  }
  if (patch.testEmailCode && (production || environment !== 'development'))
    errors.push(fieldError('testEmailCode', 'is available only in development'));
  const isSent = patch.refreshIdleTtl !== undefined || patch.refreshAbsoluteTtl !== undefined;
  if (isSent && merged.refreshIdleTtl > merged.refreshAbsoluteTtl) {
    errors.push(
      patch.refreshIdleTtl === undefined
        ? fieldError(
            'refreshAbsoluteTtl',
            `must not be less than refreshIdleTtl, which is ${merged.refreshIdleTtl}`,
          )
        : fieldError(
            'refreshIdleTtl',
            `must not exceed refreshAbsoluteTtl, which is ${merged.refreshAbsoluteTtl}`,
          ),
    );
  }
  if (patch.passkeys && merged.passkeys) errors.push(...passkeySettingsErrors(merged.passkeys));
  return errors;
}

const fieldError = (
  setting: keyof ProjectSettings | `signIn.${keyof SignInSettings}` | `legacySignIn.${'url' | 'secret'}`,
  problem: string,
): FieldError => ({
  field: `settings.${setting}`,
  code: 'invalid',
  message: `${setting} ${problem}`,
});

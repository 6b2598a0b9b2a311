import type { FieldError } from '../errors/gatehouse-error.js';
import { isSecureOrigin } from './page-url.js';
import type { ProjectSettings } from './project-settings.js';
import type { SettingsPatch } from './settings-patch.js';

/**
 * What is wrong with a patch that is faultless field by field: settings that do not fit each other once they are
 * merged, and what production refuses. A fault is laid to a field that was sent.
 */
export function settingsErrors(
  patch: SettingsPatch,
  merged: ProjectSettings,
  { production }: { production: boolean },
): FieldError[] {
  const faults: FieldError[] = [];
  if (production && patch.allowedOrigins && !patch.allowedOrigins.every(isSecureOrigin)) {
    faults.push(fieldError('allowedOrigins', 'must use https in production, except for localhost'));
  }
  const isSent = patch.refreshIdleTtl !== undefined || patch.refreshAbsoluteTtl !== undefined;
  if (isSent && merged.refreshIdleTtl > merged.refreshAbsoluteTtl) {
    faults.push(
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
  return faults;
}

const fieldError = (setting: keyof ProjectSettings, sentence: string): FieldError => ({
  field: `settings.${setting}`,
  code: 'invalid',
  message: `${setting} ${sentence}`,
});

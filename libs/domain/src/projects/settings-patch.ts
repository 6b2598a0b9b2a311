import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '../values/json-object.js';
import type { ProjectLimits } from '../limits/limit-catalog.js';
import type { PasskeySettings } from '../passkeys/relying-party.js';
import { normalizeUrl } from '../targets/target-policy.js';
import {
  defaultSettings,
  type Branding,
  type LegacySignInSettings,
  type MailLimits,
  type MailSettings,
  type ProjectSettings,
  type SignInSettings,
  type StoredSettings,
} from './project-settings.js';

type Patch<Fields> = { [Name in keyof Fields]?: Fields[Name] | null };

/** A merge patch for the settings (RFC 7396): null resets a setting to its default. */
export type SettingsPatch = Patch<
  Omit<
    ProjectSettings,
    'signIn' | 'legacySignIn' | 'passkeys' | 'branding' | 'mail' | 'mailLimits' | 'limits'
  >
> & {
  signIn?: Patch<SignInSettings> | null;
  /** The secret is not part of the settings. `applySettingsPatch` ignores it. */
  legacySignIn?: (Patch<LegacySignInSettings> & { secret?: string }) | null;
  passkeys?: Patch<PasskeySettings> | null;
  branding?: Patch<Branding> | null;
  mail?: Patch<MailSettings> | null;
  mailLimits?: Patch<MailLimits> | null;
  limits?: Patch<ProjectLimits> | null;
};

type Fields = Record<string, unknown>;

/** The initial members of groups that are null by default. Their first member is required, so a patch must set it. */
const nullableGroups: Fields = {
  legacySignIn: { url: '' } satisfies LegacySignInSettings,
  passkeys: { rpId: '', rpName: null, origins: [] } satisfies PasskeySettings,
};

/**
 * Returns the settings with the patch applied, except for secrets. The members of groups such as `branding` are merged.
 */
export const applySettingsPatch = (settings: ProjectSettings, patch: SettingsPatch): ProjectSettings =>
  merge({ ...settings }, withoutSecrets(patch), { ...defaultSettings }) as unknown as ProjectSettings;

function withoutSecrets({ legacySignIn, ...others }: SettingsPatch): Fields {
  const url = legacySignIn?.url;
  return { ...others, legacySignIn: legacySignIn && { url: url && normalizeUrl(url) } };
}

/** Returns the settings to store: only values that differ from the defaults. */
export const toStoredSettings = (settings: ProjectSettings): StoredSettings =>
  changedFields(settings, defaultSettings);

/** Returns the fields of `before`, at every level, whose values differ in `after`. Both must be JSON values. */
export function changedFields<Value extends object>(before: Value, after: Value): Partial<Value> {
  const changes = Object.entries(before).filter(
    ([name, value]) => !isDeepStrictEqual(value, (after as Fields)[name]),
  );
  const old = changes.map(([name, value]: [string, unknown]) => {
    const other = (after as Fields)[name];
    return [name, isJsonObject(value) && isJsonObject(other) ? changedFields(value, other) : value];
  });
  return Object.fromEntries(old) as Partial<Value>;
}

/** Returns the paths of the fields that `changedFields` returned, such as `settings.branding.color`. */
export const fieldPaths = (fields: object, path = ''): string[] =>
  Object.entries(fields).flatMap(([name, value]: [string, unknown]) =>
    isJsonObject(value) ? fieldPaths(value, `${path}${name}.`) : [path + name],
  );

function merge(current: Fields, patch: Fields, defaults: Fields): Fields {
  const merged = { ...current };
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    if (value === null) merged[name] = defaults[name];
    else if (isJsonObject(value)) {
      const group = (defaults[name] ?? nullableGroups[name]) as Fields;
      merged[name] = merge((merged[name] ?? group) as Fields, value, group);
    } else merged[name] = value;
  }
  return merged;
}

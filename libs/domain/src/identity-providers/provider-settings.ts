import type { IdentityProvider } from './identity-provider.js';
import type { ProviderPreset } from './provider-preset.js';

/** The provider fields that can be changed, apart from protocol settings. */
export type ProviderSettings = Pick<
  IdentityProvider,
  'name' | 'enabled' | 'allowSignUp' | 'trustEmail' | 'required'
>;

/** A merge patch (RFC 7396). null resets a field to its default. */
export type ProviderSettingsPatch = {
  [Name in keyof ProviderSettings]?: ProviderSettings[Name] | null;
};

/** Slugs that would conflict with other routes under the same path. */
const reservedSlugs: readonly string[] = ['callback', 'exchange', 'token'];

/** Returns whether a slug would conflict with a route. */
export const isReservedProviderSlug = (slug: string): boolean => reservedSlugs.includes(slug);

/** Returns a provider's default settings. */
export const defaultProviderSettings = ({ name }: ProviderPreset): ProviderSettings => ({
  name,
  enabled: true,
  allowSignUp: true,
  trustEmail: false,
  required: false,
});

/** Applies a merge patch (RFC 7396), in which null stands for the default. */
export function applyProviderPatch<Settings extends object>(
  defaults: Settings,
  current: Settings,
  patch: { [Name in keyof Settings]?: Settings[Name] | null | undefined },
): Settings {
  const names = Object.keys(defaults) as (keyof Settings)[];
  const merged = names.map((name) => {
    const value = patch[name];
    return [name, value === undefined ? current[name] : (value ?? defaults[name])];
  });
  return Object.fromEntries(merged) as Settings;
}

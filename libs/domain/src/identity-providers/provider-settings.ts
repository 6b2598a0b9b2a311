import type { IdentityProvider, IdentityProviderType } from './identity-provider.js';
import { providerPresets } from './presets/index.js';

/** The fields of a provider that a change can set. Its secrets are handled apart. */
export type ProviderSettings = Pick<
  IdentityProvider,
  | 'name'
  | 'clientId'
  | 'clientIds'
  | 'tenants'
  | 'scopes'
  | 'teamId'
  | 'keyId'
  | 'enabled'
  | 'allowSignUp'
  | 'trustEmail'
  | 'requireNonce'
  | 'required'
>;

/** A merge patch (RFC 7396). null resets a field to its default. */
export type ProviderSettingsPatch = {
  [Name in keyof ProviderSettings]?: ProviderSettings[Name] | null;
};

/** Slugs that are the names of routes beside those of the providers. */
const reservedSlugs: readonly string[] = ['callback', 'exchange', 'token'];

/** Returns whether a slug is the name of a route. */
export const isReservedProviderSlug = (slug: string): boolean => reservedSlugs.includes(slug);

/** Returns the settings of a new provider of a type, without those that have no default. */
export const defaultProviderSettings = (type: IdentityProviderType): ProviderSettings => ({
  name: providerPresets[type].name,
  clientId: '',
  clientIds: [],
  tenants: [],
  scopes: [...providerPresets[type].scopes],
  teamId: null,
  keyId: null,
  enabled: true,
  allowSignUp: true,
  trustEmail: false,
  requireNonce: false,
  required: false,
});

/** Returns the settings after a merge patch. */
export function applyProviderPatch(
  type: IdentityProviderType,
  current: ProviderSettings,
  patch: ProviderSettingsPatch,
): ProviderSettings {
  const defaults = defaultProviderSettings(type);
  const names = Object.keys(defaults) as (keyof ProviderSettings)[];
  const merged = names.map((name) => {
    const value = patch[name];
    return [name, value === undefined ? current[name] : (value ?? defaults[name])];
  });
  return Object.fromEntries(merged) as ProviderSettings;
}

import {
  defaultSettings,
  providerWarnings,
  type IdentityProvider,
  type ProjectSettings,
} from '@gatehouse/domain';
import { openIdConnectPresets } from './openid-connect/presets/index.js';

const provider = {
  type: 'oidc' as keyof typeof openIdConnectPresets,
  slug: 'acme',
  issuer: 'https://id.acme.example',
  domains: ['acme.example'],
  enabled: true,
  required: true,
  trustEmail: false,
};
const gitlab = { type: 'gitlab', issuer: 'https://gitlab.com' } as const;
const google = { type: 'google', issuer: 'https://accounts.google.com' } as const;
const verified = { requireVerifiedEmail: true };

type Differences = Partial<Omit<IdentityProvider, 'type'>> & Partial<typeof provider>;

it.each<[string, Differences, Partial<ProjectSettings>, string[]]>([
  ['with untrusted email addresses', {}, {}, ['existing_customers_excluded']],
  [
    'with untrusted addresses if addresses must be verified',
    {},
    verified,
    ['existing_customers_excluded', 'new_customers_unverified'],
  ],
  [
    'with untrusted addresses under enumeration protection',
    {},
    { enumerationProtection: true },
    ['existing_customers_excluded', 'new_customers_unverified'],
  ],
  ['of a preset that is never trusted', gitlab, {}, ['existing_customers_excluded']],
  ['of a preset that verifies addresses', google, verified, []],
  ['with trusted addresses', { trustEmail: true }, verified, []],
  ['that is not required', { required: false }, verified, []],
  ['without domains', { domains: [] }, verified, []],
  ['that is disabled', { enabled: false }, verified, []],
])('returns the warnings about a provider %s', (_, differences, settings, expected) => {
  const { type, ...subject } = { ...provider, ...differences };
  const preset = openIdConnectPresets[type];
  const warnings = providerWarnings(preset, subject, { ...defaultSettings, ...settings });
  expect(warnings.map(({ code }) => code)).toEqual(expected);
});

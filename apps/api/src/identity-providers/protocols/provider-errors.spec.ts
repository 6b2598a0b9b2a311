import { defaultProviderSettings, issuerErrors, providerErrors } from '@gatehouse/domain';
import { oauth2Presets } from './oauth2/presets/index.js';
import { openIdConnectPresets } from './openid-connect/presets/index.js';

const providerPresets = { ...openIdConnectPresets, ...oauth2Presets };
type PresetType = keyof typeof providerPresets;

/** Returns the fields that a provider must not have. */
const rejectedFields = (type: PresetType, issuer: string | null, fields: { domains: string[] }): string[] =>
  providerErrors(providerPresets[type], {
    ...{ ...defaultProviderSettings(providerPresets[type]), issuer, ...fields },
  })
    .filter(({ code }) => code === 'not_allowed')
    .map(({ field }) => field);

const companyFields = { trustEmail: true, domains: ['acme.example'], required: true };
const OWN = 'https://login.acme.example';
const TENANT = 'https://login.microsoftonline.com/6f1a7f2e-52cb-4a3c-9b0e-0f6f2b8f3a11/v2.0';

it.each<[PresetType, string | null, string[]]>([
  ['oidc', OWN, []],
  ['oidc', null, []],
  ['github', OWN, []],
  ['gitlab', OWN, []],
  ['microsoft', OWN, []],
  ['github', providerPresets.github.issuer, ['trustEmail', 'domains', 'required']],
  ['discord', providerPresets.discord.issuer, ['trustEmail', 'domains', 'required']],
  ['gitlab', providerPresets.gitlab.issuer, ['trustEmail']],
  ['microsoft', providerPresets.microsoft.issuer, ['trustEmail']],
  ['microsoft', TENANT, ['trustEmail']],
  ['google', providerPresets.google.issuer, ['trustEmail']],
  ['google', OWN, ['trustEmail']],
])('rejects these fields for %s at %s: %j', (type, issuer, expected) => {
  expect(rejectedFields(type, issuer, companyFields)).toEqual(expected);
});

it('accepts a loopback issuer for google, but not a host name that only begins like one', () => {
  const policy = { production: false, allowedCidrs: [] };
  const isAccepted = (issuer: string) =>
    issuerErrors('google', providerPresets.google, issuer, policy).length === 0;
  expect(['http://127.0.0.1:1', 'http://localhost:1', 'http://[::1]:1'].filter(isAccepted)).toHaveLength(3);
  expect(['https://127.evil.example', 'https://localhost.evil.example'].filter(isAccepted)).toEqual([]);
  expect(
    issuerErrors('google', providerPresets.google, 'http://127.0.0.1:1', { ...policy, production: true }),
  ).toHaveLength(1);
});

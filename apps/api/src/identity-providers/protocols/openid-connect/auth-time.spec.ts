import { canReauthenticate } from '@gatehouse/domain';
import { oauth2Presets } from '../oauth2/presets/index.js';
import { detectAuthTimeSupport } from './auth-time.js';
import { openIdConnectPresets } from './presets/index.js';

const providerPresets = { ...openIdConnectPresets, ...oauth2Presets };
type PresetType = keyof typeof providerPresets;

const MICROSOFT = 'https://login.microsoftonline.com/common/v2.0';

it.each<[PresetType, sendsAuthTime: boolean | null, expected: boolean]>([
  ['google', null, false],
  ['apple', null, false],
  ['github', null, false],
  ['discord', null, false],
  ['microsoft', null, true],
  ['microsoft', true, true],
  ['microsoft', false, false],
  ['gitlab', null, true],
  ['oidc', null, true],
  ['oidc', false, false],
])('decides whether %s with sendsAuthTime %p can reauthenticate: %p', (type, sendsAuthTime, expected) => {
  expect(canReauthenticate(providerPresets[type], { sendsAuthTime })).toBe(expected);
});

it.each<[PresetType, issuer: string, before: boolean | null, authTime: unknown, after: boolean | null]>([
  ['microsoft', MICROSOFT, null, undefined, false],
  ['microsoft', MICROSOFT, null, 1_764_000_000, true],
  ['microsoft', MICROSOFT, false, 1_764_000_000, true],
  ['microsoft', MICROSOFT, true, undefined, true],
  ['microsoft', 'https://login.microsoftonline.us/common/v2.0', null, undefined, false],
  ['oidc', MICROSOFT, null, undefined, false],
  ['oidc', 'https://login.acme.example', null, undefined, null],
  ['oidc', 'https://login.acme.example', null, 1_764_000_000, null],
])(
  'returns sendsAuthTime for %s at %s, previously %p, with auth_time %p: %p',
  (type, issuer, sendsAuthTime, authTime, after) => {
    expect(detectAuthTimeSupport({ type, issuer, sendsAuthTime }, { auth_time: authTime })).toBe(after);
  },
);

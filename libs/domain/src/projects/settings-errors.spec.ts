import { effectiveSettings, type StoredSettings } from './project-settings.js';
import { settingsErrors } from './settings-errors.js';
import { applySettingsPatch, type SettingsPatch } from './settings-patch.js';

const origins = ['https://a.example', 'http://localhost:5173'];
const legacyUrl = 'https://old.example.com/sign-in';
const plain = { allowedOrigins: [...origins, 'http://192.168.1.5:5173'] };
const long = { refreshIdleTtl: 8_000_000, refreshAbsoluteTtl: 9_000_000 };

it.each<[string, StoredSettings, SettingsPatch, string[], boolean?]>([
  ['an idle expiry equal to the absolute expiry', {}, { refreshIdleTtl: 600, refreshAbsoluteTtl: 600 }, []],
  [
    'an idle expiry after the absolute expiry',
    {},
    { refreshIdleTtl: 601, refreshAbsoluteTtl: 600 },
    ['refreshIdleTtl'],
  ],
  ['an idle expiry after the default absolute expiry', {}, { refreshIdleTtl: 7_776_001 }, ['refreshIdleTtl']],
  [
    'an absolute expiry before the default idle expiry',
    {},
    { refreshAbsoluteTtl: 2_591_999 },
    ['refreshAbsoluteTtl'],
  ],
  [
    'a reset of the idle expiry',
    { refreshIdleTtl: 300, refreshAbsoluteTtl: 600 },
    { refreshIdleTtl: null },
    ['refreshIdleTtl'],
  ],
  ['a reset of the absolute expiry', long, { refreshAbsoluteTtl: null }, ['refreshAbsoluteTtl']],
  [
    'a change to another setting when the stored settings are invalid',
    { refreshIdleTtl: 9_000_000 },
    { passwordMinLength: 10 },
    [],
  ],
  ['no sign-in method', {}, { signIn: { password: false } }, ['signIn.password']],
  [
    'a reset of the only sign-in method',
    { signIn: { password: false, emailCode: true } },
    { signIn: { emailCode: null } },
    ['signIn.emailCode'],
  ],
  ['an email code instead of a password', {}, { signIn: { password: false, emailCode: true } }, []],
  ['a previous system without a secret', {}, { legacySignIn: { url: legacyUrl } }, ['legacySignIn.secret']],
  ['a previous system without a URL', {}, { legacySignIn: { secret: 'whsec_' } }, ['legacySignIn.url']],
  [
    'a new URL with the same secret',
    { legacySignIn: { url: legacyUrl } },
    { legacySignIn: { url: `${legacyUrl}/2` } },
    [],
  ],
  ['a new secret', { legacySignIn: { url: legacyUrl } }, { legacySignIn: { secret: 'whsec_' } }, []],
  [
    'a previous system with a private address',
    { legacySignIn: { url: legacyUrl } },
    { legacySignIn: { url: 'https://10.0.0.1' } },
    ['legacySignIn.url'],
  ],
  [
    'plain http to a previous system in production',
    { legacySignIn: { url: legacyUrl } },
    { legacySignIn: { url: 'http://old.example.com' } },
    ['legacySignIn.url'],
    true,
  ],
  ['a test code in development', {}, { testEmailCode: '424242' }, []],
  ['a test code in production', {}, { testEmailCode: '424242' }, ['testEmailCode'], true],
  ['no test code in production', {}, { testEmailCode: null }, [], true],
  ['https and local origins in production', {}, { allowedOrigins: origins }, [], true],
  ['plain http outside production', {}, plain, []],
  [
    'plain http in production',
    {},
    { ...plain, refreshIdleTtl: 7_776_001 },
    ['allowedOrigins', 'refreshIdleTtl'],
    true,
  ],
])('checks %s', (_, stored, patch, fields, production = false) => {
  const before = effectiveSettings(stored);
  const errors = settingsErrors(patch, applySettingsPatch(before, patch), {
    production,
    allowedCidrs: [],
    environment: 'development',
    before,
    hasProvider: false,
  });
  expect(errors.map(({ field }) => field)).toEqual(fields.map((field) => `settings.${field}`));
});

it.each(['staging', 'production'] as const)(
  'rejects a test code in a project with the environment %s',
  (environment) => {
    const patch = { testEmailCode: '424242' };
    const before = effectiveSettings({});
    const merged = applySettingsPatch(before, patch);
    const context = { production: false, allowedCidrs: [], environment, before, hasProvider: false };
    const errors = settingsErrors(patch, merged, context);
    expect(errors).toMatchObject([{ field: 'settings.testEmailCode' }]);
  },
);

it.each([
  ['development', []],
  ['staging', []],
  ['production', ['settings.redirectUrls']],
] as const)('FE-01: checks wildcards in a project with the environment %s', (environment, fields) => {
  const patch = {
    allowedOrigins: ['https://*.example.com'],
    redirectUrls: ['https://app.example.com/', 'https://*.example.com/'],
  };
  const before = effectiveSettings({});
  const context = { production: true, allowedCidrs: [], environment, before, hasProvider: false };
  const errors = settingsErrors(patch, applySettingsPatch(before, patch), context);
  expect(errors.map(({ field }) => field)).toEqual(fields);
});

it('allows turning off the password if an identity provider is enabled', () => {
  const patch = { signIn: { password: false } };
  const before = effectiveSettings({});
  const errors = settingsErrors(patch, applySettingsPatch(before, patch), {
    production: true,
    allowedCidrs: [],
    environment: 'development',
    before,
    hasProvider: true,
  });
  expect(errors).toEqual([]);
});

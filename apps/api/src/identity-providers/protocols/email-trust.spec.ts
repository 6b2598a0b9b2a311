import { hasPresetIssuer, isEmailTrusted, type ProviderClaims } from '@gatehouse/domain';
import { oauth2Presets } from './oauth2/presets/index.js';
import { openIdConnectPresets } from './openid-connect/presets/index.js';

const providerPresets = { ...openIdConnectPresets, ...oauth2Presets };
type PresetType = keyof typeof providerPresets;

const CONSUMER_TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';
const WORK_TENANT = '6f1a7f2e-52cb-4a3c-9b0e-0f6f2b8f3a11';
const microsoft = (path: string): string => `https://login.microsoftonline.com/${path}`;
const STAND_IN = 'http://127.0.0.1:4000';

it.each<[PresetType, string | null, boolean]>([
  ['google', 'https://accounts.google.com', true],
  ['google', STAND_IN, true],
  ['google', 'http://localhost:4000', true],
  ['google', 'http://[::1]:4000', true],
  ['google', 'https://127.evil.example', false],
  ['google', 'https://accounts.evil.example', false],
  ['google', 'evil', false],
  ['apple', 'https://appleid.apple.com', true],
  ['apple', STAND_IN, true],
  ['discord', 'https://discord.com', true],
  ['discord', STAND_IN, true],
  ['github', 'https://github.com', true],
  ['github', STAND_IN, false],
  ['github', 'https://github.acme.example', false],
  ['github', 'https://github.com/acme', false],
  ['github', 'https://github.com.evil.example', false],
  ['gitlab', 'https://gitlab.com', true],
  ['gitlab', STAND_IN, false],
  ['microsoft', microsoft('common/v2.0'), true],
  ['microsoft', microsoft('organizations/v2.0'), true],
  ['microsoft', microsoft('consumers/v2.0'), true],
  ['microsoft', microsoft(`${WORK_TENANT}/v2.0`), true],
  ['microsoft', microsoft(WORK_TENANT), false],
  ['microsoft', microsoft(`${WORK_TENANT}/v2.0/`), false],
  ['microsoft', microsoft('acme.onmicrosoft.com/v2.0'), false],
  ['microsoft', microsoft('te/acme.onmicrosoft.com/policy/v2.0'), false],
  ['microsoft', `https://login.microsoftonline.com.evil.example/${WORK_TENANT}/v2.0`, false],
  ['microsoft', `https://evil.example/?${microsoft('common/v2.0')}`, false],
  ['microsoft', STAND_IN, false],
  ['oidc', microsoft('common/v2.0'), false],
  ['oidc', STAND_IN, false],
  ['oidc', null, false],
])('compares the issuer for %s at %s with the preset: %s', (type, issuer, expected) => {
  expect(hasPresetIssuer(providerPresets[type], issuer)).toBe(expected);
});

/** The types that can have a custom issuer. */
const types = (Object.keys(providerPresets) as PresetType[]).filter(
  (type) => providerPresets[type].allowsCustomIssuer,
);
const email = 'ada@acme.example';

/** Claims with which at least one preset trusts the email. */
const convincing: ProviderClaims = {
  email,
  email_verified: true,
  hd: 'acme.example',
  tid: CONSUMER_TENANT,
  xms_edov: true,
};

describe("isEmailTrusted, at the preset's issuer", () => {
  const trustEverything = { trustEmail: true, domains: ['acme.example', 'gmail.com'] };
  const isTrusted = (type: PresetType, claims: ProviderClaims): boolean =>
    isEmailTrusted(
      providerPresets[type],
      { issuer: providerPresets[type].issuer!, ...trustEverything },
      { email, ...claims },
    );

  it.each<[PresetType, ProviderClaims, boolean]>([
    ['google', { email_verified: true, hd: 'acme.example' }, true],
    ['google', { email_verified: true, email: 'Ada@GMAIL.com' }, true],
    ['google', { email_verified: true }, false],
    ['google', { email_verified: true, hd: '' }, false],
    ['google', { email_verified: 'true', hd: 'acme.example' }, false],
    ['google', { email_verified: false, hd: 'acme.example' }, false],
    ['apple', { email_verified: true }, true],
    ['apple', { email_verified: 'true' }, true],
    ['apple', { email_verified: 'false' }, false],
    ['apple', {}, false],
    ['github', { email_verified: true }, true],
    ['github', { email_verified: 'true' }, false],
    ['github', { email_verified: false }, false],
    ['microsoft', { tid: CONSUMER_TENANT }, true],
    ['microsoft', { tid: WORK_TENANT, xms_edov: true }, true],
    ['microsoft', { tid: WORK_TENANT, xms_edov: '1' }, true],
    ['microsoft', { tid: WORK_TENANT, xms_edov: false }, false],
    ['microsoft', { tid: WORK_TENANT, email_verified: true }, false],
    ['gitlab', convincing, false],
    ['discord', convincing, false],
  ])('returns the trust decision for %s with claims %j: %s', (type, claims, expected) => {
    expect(isTrusted(type, claims)).toBe(expected);
  });

  it('does not trust a value that is not an email address', () => {
    for (const text of [undefined, 7, '', 'ada', 'ada@b@acme.example'])
      expect(isTrusted('google', { ...convincing, email: text })).toBe(false);
  });
});

describe.each(types)('isEmailTrusted, for %s with a custom issuer', (type) => {
  const isTrusted = (claims: ProviderClaims, trust: { trustEmail?: boolean; domains?: string[] } = {}) =>
    ['https://login.acme.example', STAND_IN].map((issuer) =>
      isEmailTrusted(
        providerPresets[type],
        { issuer, trustEmail: true, domains: ['acme.example', 'xn--bcher-kva.example'], ...trust },
        claims,
      ),
    );
  const everywhere = [true, true];
  const nowhere = [false, false];

  it('trusts email addresses in verified domains if trustEmail is set', () => {
    expect(isTrusted({ email })).toEqual(everywhere);
    for (const verified of [true, 'true', 'True', 1, '1', null, ''])
      expect([verified, ...isTrusted({ email, email_verified: verified })]).toEqual([
        verified,
        ...everywhere,
      ]);
    expect(isTrusted({ email: ' Ada@Acme.EXAMPLE' })).toEqual(everywhere);
    expect(isTrusted({ email: 'ada@bücher.example' })).toEqual(everywhere);
  });

  it('does not trust any other email address, regardless of the claims', () => {
    expect(isTrusted(convincing, { trustEmail: false })).toEqual(nowhere);
    expect(isTrusted(convincing, { domains: [] })).toEqual(nowhere);
    expect(isTrusted({ ...convincing, email: 'ada@eu.acme.example' })).toEqual(nowhere);
    expect(isTrusted({ ...convincing, email: 'ada@gmail.com' })).toEqual(nowhere);
    for (const verified of [false, 'false', 'FALSE', 0, '0', 'no', {}, []])
      expect([verified, ...isTrusted({ ...convincing, email_verified: verified })]).toEqual([
        verified,
        ...nowhere,
      ]);
    expect(isTrusted({ ...convincing, email: undefined })).toEqual(nowhere);
  });
});

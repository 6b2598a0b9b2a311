import {
  effectiveRpId,
  isAllowedOrigin,
  isPasskeyOrigin,
  isProjectRpId,
  isRpId,
  passkeySettingsErrors,
} from './relying-party.js';

it('accepts a lowercase domain name or localhost as rpId', () => {
  for (const text of ['example.com', 'auth.example.co.uk', 'xn--bcher-kva.example', 'localhost'])
    expect([text, isRpId(text)]).toEqual([text, true]);
  for (const text of [
    '',
    'com',
    'Example.com',
    'example.com.',
    '127.0.0.1',
    '[::1]',
    'a..b',
    '-a.example',
    'a_b.de',
  ])
    expect([text, isRpId(text)]).toEqual([text, false]);
});

it('rejects a public suffix as the rpId of a project', () => {
  for (const text of ['example.com', 'shop.co.uk', 'shop.github.io', 'auth.internal', 'localhost'])
    expect([text, isProjectRpId(text)]).toEqual([text, true]);
  for (const text of ['com', 'co.uk', 'github.io', 'vercel.app', 'com.au', 'xn--55qx5d.cn'])
    expect([text, isProjectRpId(text)]).toEqual([text, false]);
});

it('accepts an https URL with a domain name, localhost, or an Android app as an origin', () => {
  const hash = `android:apk-key-hash:${'aZ09-_'.repeat(7)}A`;
  for (const text of ['https://example.com', 'https://a.example.com:8443', 'http://localhost:5173', hash])
    expect([text, isPasskeyOrigin(text)]).toEqual([text, true]);
  for (const text of [
    'https://example.com/',
    'https://example.com:443',
    'http://example.com',
    'https://127.0.0.1',
    'https://[::1]',
    'http://localhost.example.com',
    'http://localhost:5173/',
    `${hash}A`,
    'ios:bundle-id:com.example',
  ])
    expect([text, isPasskeyOrigin(text)]).toEqual([text, false]);
});

it('disables passkeys in production without the setting, and uses localhost elsewhere', () => {
  expect(effectiveRpId(null, { production: true })).toBeNull();
  expect(effectiveRpId(null, { production: false })).toBe('localhost');
  const passkeys = { rpId: 'example.com', rpName: null, origins: ['https://example.com'] };
  expect(effectiveRpId(passkeys, { production: true })).toBe('example.com');
  expect(effectiveRpId(passkeys, { production: false })).toBe('example.com');
});

it('allows only localhost pages without the setting', () => {
  const development = { id: 'localhost', name: 'Shop', origins: null };
  for (const origin of ['http://localhost', 'http://localhost:3000', 'https://localhost:5173'])
    expect([origin, isAllowedOrigin(development, origin)]).toEqual([origin, true]);
  for (const origin of [
    'http://127.0.0.1:3000',
    'https://localhost.example',
    'http://localhost:3000.example',
  ])
    expect([origin, isAllowedOrigin(development, origin)]).toEqual([origin, false]);
  const production = { ...development, id: 'example.com', origins: ['https://example.com'] };
  expect(isAllowedOrigin(production, 'https://example.com')).toBe(true);
  expect(isAllowedOrigin(production, 'https://a.example.com')).toBe(false);
});

it.each<[rpId: string, origins: string[], fields: string[]]>([
  ['example.com', ['https://app.example.com', 'https://example.de'], []],
  ['localhost', ['http://localhost:5173'], []],
  ['', ['https://example.com'], ['rpId']],
  ['example.com', [], ['origins']],
  ['example.com', ['http://localhost:5173'], ['origins']],
])('validates rpId %j with origins %j: errors in %j', (rpId, origins, fields) => {
  const errors = passkeySettingsErrors({ rpId, rpName: null, origins });
  expect(errors.map(({ field }) => field)).toEqual(fields.map((field) => `settings.passkeys.${field}`));
});

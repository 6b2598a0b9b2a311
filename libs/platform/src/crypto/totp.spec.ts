import { MAX_TOTP_URI, newTotpSecret, totpStep, totpUri } from './totp.js';

/** The secret of RFC 6238, appendix B, in base32. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const stepAt = (seconds: number, code: string) => totpStep(secret, code, new Date(seconds * 1000));

describe('totpStep', () => {
  it.each([
    [59, '287082', 0x1],
    [1111111109, '081804', 0x23523ec],
    [1111111111, '050471', 0x23523ed],
    [1234567890, '005924', 0x273ef07],
    [2000000000, '279037', 0x3f940aa],
    [20000000000, '353130', 0x27bc86aa],
  ])(
    'CO-01: accepts the last six digits of the code at %d (RFC 6238, appendix B): %s',
    (seconds, code, step) => {
      expect(stepAt(seconds, code)).toBe(step);
    },
  );

  it('CO-01: accepts only codes from at most one step before or after', () => {
    const steps = [-60, -30, 30, 60].map((offset) => stepAt(1111111109 + offset, '081804'));
    expect(steps).toEqual([null, 0x23523ec, 0x23523ec, null]);
    const others = ['', '081805', '81804', '0081804', '08180a', ' 081804x', 'é81804', '🦄0818', '٠٨١٨٠٤'];
    expect(others.filter((code) => stepAt(1111111109, code) !== null)).toEqual([]);
  });

  it('CO-01: accepts full-width digits, spaces and invisible characters', () => {
    expect(stepAt(1111111109, ' 081 ８０４\u200b')).toBe(0x23523ec);
  });
});

it('creates unique secrets with 160 bits', () => {
  expect(newTotpSecret()).toMatch(/^[A-Z2-7]{32}$/);
  expect(newTotpSecret()).not.toBe(newTotpSecret());
});

it('creates a URI with all parameters and an escaped account', () => {
  const uri = new URL(totpUri(secret, 'Gatehouse', 'a&b?=@example.com'));
  expect([uri.protocol, uri.host]).toEqual(['otpauth:', 'totp']);
  expect(decodeURIComponent(uri.pathname)).toBe('/Gatehouse:a&b?=@example.com');
  const expected = { issuer: 'Gatehouse', secret, algorithm: 'SHA1', digits: '6', period: '30' };
  expect(Object.fromEntries(uri.searchParams)).toEqual(expected);
});

it.each([
  ['Shop: Berlin', 'Shop Berlin'],
  ['Shop:Berlin', 'Shop Berlin'],
  [':: Shop ::', 'Shop'],
  ['Gatehouse ([::1])', 'Gatehouse ([ 1])'],
])('removes colons from the label and the issuer %j', (issuer, expected) => {
  const uri = new URL(totpUri(secret, issuer, 'ada:x@example.com'));
  expect(decodeURIComponent(uri.pathname)).toBe(`/${expected}:ada x@example.com`);
  expect(uri.searchParams.get('issuer')).toBe(expected);
});

it('shortens a long issuer, so that the URI fits into a QR code', () => {
  const uri = totpUri(secret, '🦄'.repeat(100), `${'é'.repeat(64)}@${'a'.repeat(189)}`);
  expect(uri.length).toBeLessThan(MAX_TOTP_URI);
  expect(new URL(uri).searchParams.get('issuer')).toBe(`${'🦄'.repeat(39)}…`);
});

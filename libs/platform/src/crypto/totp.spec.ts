import { newTotpSecret, totpStep, totpUri } from './totp.js';

/** The secret of RFC 6238, appendix B, in base32. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const at = (seconds: number) => new Date(seconds * 1000);

describe('totpStep', () => {
  it.each([
    [59, '287082', 0x1],
    [1111111109, '081804', 0x23523ec],
    [1111111111, '050471', 0x23523ed],
    [1234567890, '005924', 0x273ef07],
    [2000000000, '279037', 0x3f940aa],
    [20000000000, '353130', 0x27bc86aa],
  ])('CO-01: at %d knows the code of RFC 6238, appendix B, by its last six digits', (seconds, code, step) => {
    expect(totpStep(secret, code, at(seconds))).toBe(step);
  });

  it('CO-01: takes the codes of one step before and after, and names their steps', () => {
    expect([1111111109 + 30, 1111111109 - 30].map((time) => totpStep(secret, '081804', at(time)))).toEqual([
      0x23523ec, 0x23523ec,
    ]);
    expect([1111111109 + 60, 1111111109 - 60].map((time) => totpStep(secret, '081804', at(time)))).toEqual([
      null,
      null,
    ]);
  });

  it.each(['', '081805', '81804', '0081804', '08180a', ' 081804x'])('knows no step of %j', (code) => {
    expect(totpStep(secret, code, at(1111111109))).toBeNull();
  });
});

it('a new secret has 160 bits and is another each time', () => {
  expect(newTotpSecret()).toMatch(/^[A-Z2-7]{32}$/);
  expect(newTotpSecret()).not.toBe(newTotpSecret());
});

it('totpUri says what an app has to know, and nothing can break out of the account', () => {
  const uri = new URL(totpUri(secret, 'Gatehouse', 'a&b?=@example.com'));
  expect([uri.protocol, uri.host]).toEqual(['otpauth:', 'totp']);
  expect(decodeURIComponent(uri.pathname)).toBe('/Gatehouse:a&b?=@example.com');
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    issuer: 'Gatehouse',
    secret,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
});

import { Keyring } from './keyring.js';
import { newRecoveryCode, recoveryCodeHashes } from './recovery-codes.js';

const old = 'an old root secret of 32 bytes or more';
const recent = 'a new root secret of 32 bytes or more';

it('a recovery code is ten characters that nobody mistakes', () => {
  const codes = Array.from({ length: 200 }, newRecoveryCode);
  for (const code of codes) expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{5}-[0-9a-hjkmnp-tv-z]{5}$/);
  expect(new Set(codes).size).toBe(codes.length);
});

it('a recovery code is known however it is typed, and by the operator whose it is alone', () => {
  const [kept] = recoveryCodeHashes(new Keyring([old]), 'o1', '7k2xm-q4d0v');
  expect(recoveryCodeHashes(new Keyring([old]), 'o1', ' 7K2XM Q4D0V ')).toEqual([kept]);
  expect(recoveryCodeHashes(new Keyring([old]), 'o2', '7k2xm-q4d0v')).not.toContainEqual(kept);
});

it('CF-02: a recovery code outlives a new root secret', () => {
  const [kept] = recoveryCodeHashes(new Keyring([old]), 'o1', '7k2xm-q4d0v');
  expect(recoveryCodeHashes(new Keyring([recent, old]), 'o1', '7k2xm-q4d0v')).toContainEqual(kept);
});

import { Keyring } from './keyring.js';
import { newRecoveryCodes, recoveryCodeHashes } from './recovery-codes.js';

const old = 'an old root secret of 32 bytes or more';
const recent = 'a new root secret of 32 bytes or more';

it('MF-04: recovery codes have fifteen unambiguous characters, which are 75 random bits', () => {
  const codes = Array.from({ length: 20 }, newRecoveryCodes).flat();
  for (const code of codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{5}-){2}[0-9a-hjkmnp-tv-z]{5}$/);
  expect(new Set(codes).size).toBe(codes.length);
});

it('a recovery code matches in any notation, only for its operator, and also after a new root secret', () => {
  const [stored] = recoveryCodeHashes(new Keyring([old]), 'o1', '7k2xm-q4d0v');
  expect(recoveryCodeHashes(new Keyring([old]), 'o1', ' 7K2XM Q4D0V ')).toEqual([stored]);
  expect(recoveryCodeHashes(new Keyring([old]), 'o2', '7k2xm-q4d0v')).not.toContainEqual(stored);
  expect(recoveryCodeHashes(new Keyring([recent, old]), 'o1', '7k2xm-q4d0v')).toContainEqual(stored);
});

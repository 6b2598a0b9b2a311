import { Keyring } from './keyring.js';
import { hashRecoveryCodes, newRecoveryCodes, recoveryCodeHashes } from './recovery-codes.js';

const old = 'an old root secret of 32 bytes or more';
const recent = 'a new root secret of 32 bytes or more';

it('MF-04: creates recovery codes of fifteen unambiguous characters', () => {
  const codes = Array.from({ length: 20 }, newRecoveryCodes).flat();
  for (const code of codes) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{5}-){2}[0-9a-hjkmnp-tv-z]{5}$/);
  expect(new Set(codes).size).toBe(codes.length);
});

describe('a recovery code in any notation', () => {
  const code = '7k2xm-q4d0v-3n8ct';

  it('MF-04: matches only for its owner, even after the root secret has been replaced', () => {
    const [stored] = hashRecoveryCodes('o1', [code]);
    expect(recoveryCodeHashes(new Keyring([recent]), 'o1', ' 7K2XM Q4D0V 3N8CT ')).toContainEqual(stored);
    expect(recoveryCodeHashes(new Keyring([recent]), 'o2', code)).not.toContainEqual(stored);
  });

  it('matches a hash that an earlier version stored, while the root secret is in the ring', () => {
    const stored = new Keyring([old]).mac('recovery-code', 'o1:7k2xmq4d0v');
    expect(recoveryCodeHashes(new Keyring([recent, old]), 'o1', ' 7K2XM Q4D0V ')).toContainEqual(stored);
    expect(recoveryCodeHashes(new Keyring([recent, old]), 'o2', '7k2xm-q4d0v')).not.toContainEqual(stored);
  });
});

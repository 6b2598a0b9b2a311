import { alertSecrets } from './alert-secrets.js';
import { Keyring } from './keyring.js';

const [older, newer] = ['k3v9-Qw7xZ1pLm5TnB8yRc2fHs6dJg4aUoE0i', 'Zx8cVb5nMq2wEr7tYu1iOp4aSd9fGh6jKl3-0'];

describe('alertSecrets', () => {
  it('returns the same secret for the same root secret and a different one for another', () => {
    const [secret] = alertSecrets(new Keyring([older]));
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(alertSecrets(new Keyring([older]))).toEqual([secret]);
    expect(alertSecrets(new Keyring([newer]))).not.toEqual([secret]);
  });

  it('returns a secret for each entry in a ring, newest first', () => {
    expect(alertSecrets(new Keyring([newer, older]))).toEqual([
      ...alertSecrets(new Keyring([newer])),
      ...alertSecrets(new Keyring([older])),
    ]);
  });
});

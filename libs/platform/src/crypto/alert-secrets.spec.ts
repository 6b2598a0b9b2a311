import { alertSecrets } from './alert-secrets.js';
import { Keyring } from './keyring.js';

const [older, newer] = ['k3v9-Qw7xZ1pLm5TnB8yRc2fHs6dJg4aUoE0i', 'Zx8cVb5nMq2wEr7tYu1iOp4aSd9fGh6jKl3-0'];

describe('alertSecrets', () => {
  it('returns a secret that depends only on the root secret', () => {
    const [secret] = alertSecrets(new Keyring([older]));
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(alertSecrets(new Keyring([older]))).toEqual([secret]);
    expect(alertSecrets(new Keyring([newer]))).not.toEqual([secret]);
  });

  it('returns one secret per entry of the ring, newest first', () => {
    expect(alertSecrets(new Keyring([newer, older]))).toEqual([
      ...alertSecrets(new Keyring([newer])),
      ...alertSecrets(new Keyring([older])),
    ]);
  });
});

import { RootSecretError, type Keyring } from '@gatehouse/platform';
import type { SigningKeysRepository } from './signing-keys.repository.js';

/**
 * Checks that GATEHOUSE_SECRET belongs to the database: it must decrypt every signing key that API processes share
 * through the database (docs/adr/0092).
 * @throws RootSecretError if it cannot decrypt one
 */
export async function assertRootSecret(
  repository: Pick<SigningKeysRepository, 'listAll'>,
  keyring: Keyring,
): Promise<void> {
  const keys = await repository.listAll();
  try {
    for (const { kid, privateKey, rsaPrivateKey } of keys) {
      keyring.decrypt('signing-key', kid, privateKey);
      if (rsaPrivateKey) keyring.decrypt('signing-key', `${kid}-rsa`, rsaPrivateKey);
    }
  } catch (error) {
    throw new RootSecretError(error);
  }
}

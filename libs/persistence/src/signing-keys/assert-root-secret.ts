import { RootSecretError, type Keyring } from '@gatehouse/platform';
import type { SigningKeysRepository } from './signing-keys.repository.js';

/**
 * Checks that GATEHOUSE_SECRET belongs to the database: it must decrypt every signing key, which the apis exchange
 * through the database (docs/adr/0092).
 * @throws RootSecretError if it does not
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

import { createPrivateKey, type KeyObject } from 'node:crypto';
import { decodeProtectedHeader } from 'jose';
import { Keyring } from './platform.js';
import type { TestInstance } from './test-instance.js';

/** Returns the key that has signed an access token. A test can sign any claims with it. */
export async function readSigningKey(instance: TestInstance, accessToken: string): Promise<KeyObject> {
  const { kid } = decodeProtectedHeader(accessToken);
  const [row] = await instance.sql<{ private_key: Buffer }>(
    'SELECT private_key FROM signing_keys WHERE kid = $1',
    [kid],
  );
  const keyring = new Keyring([instance.env['GATEHOUSE_SECRET']!]);
  return createPrivateKey(keyring.decrypt('signing-key', kid!, row!.private_key));
}

import { createCipheriv, randomBytes, randomUUID, scryptSync } from 'node:crypto';

/** Returns a row of Clerk's CSV export. */
export const clerkUser = (email: string, more: Record<string, string>) => ({
  id: `user_${randomUUID()}`,
  first_name: 'Ada',
  primary_email_address: email,
  verified_email_addresses: email,
  ...more,
});

/** A Firebase project's signer key. */
export const firebaseKey = randomBytes(64).toString('base64');

/** Hashes a password like https://github.com/firebase/scrypt, with a small memory cost. */
export function firebaseHash(password: string): { hash: string; salt: string } {
  const salt = randomBytes(10);
  const cost = { N: 2 ** 4, r: 8, p: 1 };
  const key = scryptSync(password, Buffer.concat([salt, Buffer.from('Bw==', 'base64')]), 64, cost);
  const cipher = createCipheriv('aes-256-ctr', key.subarray(0, 32), Buffer.alloc(16));
  return {
    hash: cipher.update(Buffer.from(firebaseKey, 'base64')).toString('base64'),
    salt: salt.toString('base64'),
  };
}

/** Keycloak's default parameters. */
export const argon2 = { parallelism: 1, iterations: 5, memorySize: 7_168, hashLength: 32 };

/** Encodes an ASCII string in base32. Its length must be a multiple of 5. */
export function encodeBase32(text: string): string {
  const bits = [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return bits.replace(/.{5}/g, (group) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(group, 2)]!);
}

/** Returns a Keycloak user's credential. */
export const keycloakCredential = (type: string, secretData: object, credentialData: object) => ({
  id: randomUUID(),
  type,
  createdDate: 1_600_000_000_000,
  secretData: JSON.stringify(secretData),
  credentialData: JSON.stringify(credentialData),
});

/** Returns a Keycloak user. */
export const keycloakUser = (email: string, credentials: object[], more: object = {}) => ({
  id: randomUUID(),
  username: email,
  email,
  emailVerified: true,
  enabled: true,
  createdTimestamp: 1_600_000_000_000,
  credentials,
  realmRoles: ['default-roles-acme'],
  ...more,
});

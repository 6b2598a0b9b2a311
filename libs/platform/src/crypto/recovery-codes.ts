import { canonicalRecoveryCode, RECOVERY_CODE_COUNT } from '@gatehouse/domain';
import { sha256 } from './hashes.js';
import type { Keyring } from './keyring.js';
import { secureBytes } from './random.js';

/** Crockford's base32, which excludes similar characters. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Returns a new recovery code with 75 random bits, such as `7k2xm-q4d0v-3n8ct` (requirement MF-04). */
const newRecoveryCode = (): string =>
  [...secureBytes(15)]
    .map((byte) => alphabet[byte % 32])
    .join('')
    .replace(/.{5}(?!$)/g, '$&-');

/** Returns a set of new recovery codes. */
export const newRecoveryCodes = (): string[] => Array.from({ length: RECOVERY_CODE_COUNT }, newRecoveryCode);

/**
 * Returns the hash to store for a recovery code. It does not depend on a root secret, so that codes stay valid when a
 * secret is removed. A plain hash is sufficient, because 75 random bits cannot be guessed.
 * @param ownerId the customer or operator id
 */
const hashRecoveryCode = (ownerId: string, code: string): Buffer =>
  sha256(`${ownerId}:${canonicalRecoveryCode(code)}`);

/** Returns the hashes to store for recovery codes. */
export const hashRecoveryCodes = (ownerId: string, codes: string[]): Buffer[] =>
  codes.map((code) => hashRecoveryCode(ownerId, code));

/**
 * Returns all hashes with which a recovery code may have been stored. Earlier versions stored 50-bit codes as a MAC
 * with one of the root secrets.
 */
export const recoveryCodeHashes = (keyring: Keyring, ownerId: string, code: string): Buffer[] => [
  hashRecoveryCode(ownerId, code),
  ...keyring.macWithEachKey('recovery-code', `${ownerId}:${canonicalRecoveryCode(code)}`),
];

import { canonicalRecoveryCode, RECOVERY_CODE_COUNT } from '@gatehouse/domain';
import type { Keyring } from './keyring.js';
import { secureBytes } from './random.js';

/** Crockford's base32, which contains no characters that look alike. */
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
 * Returns the stored hashes of a recovery code, one for each key of the ring, newest first. They are keyed, because
 * codes of 50 bits that operators have from earlier versions are too short for a plain hash in a stolen database.
 * @param ownerId id of the customer or the operator
 */
export const recoveryCodeHashes = (keyring: Keyring, ownerId: string, code: string): Buffer[] =>
  keyring.macWithEachKey('recovery-code', `${ownerId}:${canonicalRecoveryCode(code)}`);

/** Returns the hash of each code to store. */
export const hashRecoveryCodes = (keyring: Keyring, ownerId: string, codes: string[]): Buffer[] =>
  codes.map((code) => recoveryCodeHashes(keyring, ownerId, code)[0]!);

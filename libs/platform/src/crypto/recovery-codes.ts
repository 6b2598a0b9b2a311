import { canonicalRecoveryCode } from '@gatehouse/domain';
import type { Keyring } from './keyring.js';
import { secureBytes } from './random.js';

/** Crockford's base32, which contains no characters that look alike. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Returns a new recovery code with 50 random bits, such as `7k2xm-q4d0v`. */
export const newRecoveryCode = (): string =>
  [...secureBytes(10)]
    .map((byte) => alphabet[byte % 32])
    .join('')
    .replace(/^.{5}/, '$&-');

/**
 * Returns the stored hashes of a recovery code, one for each key of the ring, newest first. They are keyed,
 * because 50 bits are too few to protect a plain hash in a stolen database.
 */
export const recoveryCodeHashes = (keyring: Keyring, operatorId: string, code: string): Buffer[] =>
  keyring.macWithEachKey('recovery-code', `${operatorId}:${canonicalRecoveryCode(code)}`);

import { canonicalRecoveryCode } from '@gatehouse/domain';
import type { Keyring } from './keyring.js';
import { secureBytes } from './random.js';

/** Crockford's base32: nothing in it looks like anything else. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** A new recovery code: 50 random bits, such as `7k2xm-q4d0v`. */
export const newRecoveryCode = (): string =>
  [...secureBytes(10)]
    .map((byte) => alphabet[byte % 32])
    .join('')
    .replace(/^.{5}/, '$&-');

/**
 * What is kept of a recovery code, under each key of the ring, the newest first. Keyed: 50 bits are too few for a
 * plain hash of a stolen database to hold.
 */
export const recoveryCodeHashes = (keyring: Keyring, operatorId: string, code: string): Buffer[] =>
  keyring.macWithEachKey('recovery-code', `${operatorId}:${canonicalRecoveryCode(code)}`);

export type HashDigest = 'sha1' | 'sha256' | 'sha512';

interface SaltedHash {
  salt: Buffer;
  hash: Buffer;
}

interface Scrypt extends SaltedHash {
  /** Cost, block size and parallelization (RFC 7914). */
  N: number;
  r: number;
  p: number;
}

/** A parsed hash from another system, with which a hash thread compares a password. */
export type ImportedHash =
  | { scheme: 'bcrypt'; hash: string }
  | ({ scheme: 'argon2id' | 'argon2i'; memoryKiB: number; passes: number; lanes: number } & SaltedHash)
  | ({ scheme: 'scrypt' } & Scrypt)
  | ({ scheme: 'pbkdf2'; digest: HashDigest; iterations: number } & SaltedHash)
  | ({ scheme: 'firebase-scrypt'; signerKey: Buffer } & Scrypt)
  | ({ scheme: 'phpass'; iterations: number } & SaltedHash)
  | ({
      scheme: 'salted-sha';
      digest: HashDigest;
      /** The salt is the first part of the input, its last part, or the HMAC key. */
      saltPosition: 'first' | 'last' | 'key';
    } & SaltedHash);

/** Returns a bcrypt hash's estimated duration in ms. It doubles with each cost step. */
export const estimateBcryptMs = (cost: number): number => 60 * 2 ** (cost - 10);

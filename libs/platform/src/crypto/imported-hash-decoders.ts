import {
  cryptDigit,
  decodeBase64,
  decodeCryptDigits,
  decodeHashBytes,
  decodeHexHash,
  decodePasslibBase64,
  isHashLength,
} from './hash-encodings.js';
import { estimateBcryptMs, type HashDigest, type ImportedHash } from './imported-hash-parameters.js';
import { compatibleForm, type PasswordForms } from './password-forms.js';

const DIGEST_BYTES: Record<HashDigest, number> = { sha1: 20, sha256: 32, sha512: 64 };

/** The named groups of the patterns. */
export type HashFields = Record<
  'cost' | 'hash' | 'hex' | 'i' | 'm' | 'n' | 'order' | 'p' | 'r' | 'rest' | 'salt' | 'sk' | 'ss' | 't',
  string
> & { digest?: HashDigest; kind: 'id' | 'i'; length?: string; text?: string };

/** A hash, with the estimated duration and memory of one comparison. */
export interface DecodedHash {
  hash: ImportedHash;
  ms: number;
  bytes: number;
  /** Default: `typedForms`. */
  forms?: PasswordForms;
}

export function decodeBcrypt({ rest, cost }: HashFields): DecodedHash {
  // The letter after $2 marks bugs in old implementations, and current ones treat all of them the same. The bcrypt
  // package does not support $2y$.
  return { hash: { scheme: 'bcrypt', hash: `$2b${rest}` }, ms: estimateBcryptMs(Number(cost)), bytes: 0 };
}

export function decodeArgon2(fields: HashFields): DecodedHash | null {
  const [memoryKiB, passes, lanes] = [Number(fields.m), Number(fields.t), Number(fields.p)];
  const [salt, hash] = [decodeBase64(fields.salt), decodeHashBytes(fields.hash)];
  // RFC 9106 requires 8 KiB per lane, and the reference implementation a salt of at least 8 bytes.
  if (!salt || !hash || salt.length < 8 || memoryKiB < 8 * lanes) return null;
  return {
    hash: { scheme: `argon2${fields.kind}`, memoryKiB, passes, lanes, salt, hash },
    ms: Math.max((memoryKiB * passes) / 1_000, lanes),
    bytes: memoryKiB * 1_024,
  };
}

export function decodeScrypt(fields: HashFields): DecodedHash | null {
  const [salt, hash] = [decodeBase64(fields.salt), decodeHashBytes(fields.hash)];
  const cost = scryptCost(Number(fields.n), fields);
  if (!salt || !hash || !cost) return null;
  return { ...cost.estimate, hash: { scheme: 'scrypt', ...cost.parameters, salt, hash } };
}

export function decodeFirebaseScrypt(fields: HashFields): DecodedHash | null {
  const [salt, separator] = [decodeBase64(fields.salt), decodeBase64(fields.ss)];
  const [signerKey, hash] = [decodeHashBytes(fields.sk), decodeHashBytes(fields.hash)];
  const cost = scryptCost(Number(fields.n), fields);
  // The hash is the signer key, encrypted in counter mode, so both have the same length.
  if (!salt || !separator || !signerKey || hash?.length !== signerKey.length || !cost) return null;
  const salted = { ...cost.parameters, salt: Buffer.concat([salt, separator]) };
  return { ...cost.estimate, hash: { scheme: 'firebase-scrypt', ...salted, signerKey, hash } };
}

/** Decodes a Django or Werkzeug hash, which contains N instead of its logarithm, and the salt as a plain string. */
export function decodeTextSaltedScrypt(fields: HashFields): DecodedHash | null {
  const hash = decodeTextSaltedHash(fields);
  const cost = scryptCost(Math.log2(Number(fields.n)), fields);
  if (!hash || !cost) return null;
  return {
    ...cost.estimate,
    hash: { scheme: 'scrypt', ...cost.parameters, salt: Buffer.from(fields.text!), hash },
  };
}

/** Decodes a Better Auth hash. Its parameters are constant. */
export function decodeBetterAuth(fields: HashFields): DecodedHash | null {
  const decoded = decodeTextSaltedScrypt({ ...fields, n: '16384', r: '16', p: '1' });
  return decoded && { ...decoded, forms: compatibleForm };
}

/** @param n the base-2 logarithm of N */
function scryptCost(n: number, fields: HashFields) {
  const [r, p] = [Number(fields.r), Number(fields.p)];
  // RFC 7914, section 6: N is a power of two, and N < 2^(128·r/8).
  if (!Number.isInteger(n) || n < 1 || n >= 16 * r) return null;
  const N = 2 ** n;
  // PBKDF2 derives and compresses r·p blocks, which takes about as long as increasing N by 10. This matters only if N
  // is small.
  const ms = ((N + 10) * r * p) / 4_000;
  return {
    parameters: { N, r, p },
    estimate: { ms, bytes: 128 * r * Math.max(N, p) },
  };
}

export function decodePbkdf2({ text, ...fields }: HashFields): DecodedHash | null {
  // In passlib, `$pbkdf2$` means SHA-1. In the Django and Werkzeug formats, the salt is a plain string.
  const salt = text === undefined ? decodePasslibBase64(fields.salt) : Buffer.from(text);
  const hash = fields.hex === undefined ? decodePasslibBase64(fields.hash) : Buffer.from(fields.hex, 'hex');
  if (!salt || !hash || !isHashLength(hash.length)) return null;
  if (fields.length !== undefined && Number(fields.length) !== hash.length) return null;
  return toPbkdf2(fields.digest ?? 'sha1', Number(fields.i), salt, hash);
}

function toPbkdf2(digest: HashDigest, iterations: number, salt: Buffer, hash: Buffer): DecodedHash {
  const blocks = Math.ceil(hash.length / DIGEST_BYTES[digest]);
  return {
    hash: { scheme: 'pbkdf2', digest, iterations, salt, hash },
    ms: (iterations * blocks) / 2_000,
    bytes: 0,
  };
}

const ASP_NET_DIGESTS: readonly HashDigest[] = ['sha1', 'sha256', 'sha512'];

/**
 * Decodes version 3: a byte with the value 1; the digest, the iterations and the salt length as unsigned 32-bit
 * integers; the salt; and the hash.
 */
export function decodeAspNetIdentity3({ hash: text }: HashFields): DecodedHash | null {
  const bytes = decodeBase64(text);
  if (!bytes || bytes.length < 13) return null;
  const digest = ASP_NET_DIGESTS[bytes.readUInt32BE(1)];
  const [iterations, saltLength] = [bytes.readUInt32BE(5), bytes.readUInt32BE(9)];
  const [salt, hash] = [bytes.subarray(13, 13 + saltLength), bytes.subarray(13 + saltLength)];
  if (!digest || iterations === 0 || saltLength < 16 || !isHashLength(hash.length)) return null;
  return toPbkdf2(digest, iterations, salt, hash);
}

/** Decodes version 2: a byte with the value 0, a 16-byte salt, and the hash after 1,000 iterations with SHA-1. */
export function decodeAspNetIdentity2({ hash: text }: HashFields): DecodedHash | null {
  const bytes = decodeBase64(text);
  return bytes && toPbkdf2('sha1', 1_000, bytes.subarray(1, 17), bytes.subarray(17));
}

export function decodePhpass(fields: HashFields): DecodedHash {
  const iterations = 2 ** cryptDigit(fields.cost);
  const salt = Buffer.from(fields.salt);
  const hash = decodeCryptDigits(fields.hash);
  return { hash: { scheme: 'phpass', iterations, salt, hash }, ms: iterations / 600, bytes: 0 };
}

const SALT_POSITIONS: Record<string, 'first' | 'last'> = {
  '{SALT}{PASSWORD}': 'first',
  '{PASSWORD}{SALT}': 'last',
};

export function decodeSaltedSha({ digest = 'sha1', order, ...fields }: HashFields): DecodedHash | null {
  const [salt, hash] = [decodeBase64(fields.salt), decodeBase64(fields.hash)];
  const saltPosition = SALT_POSITIONS[decodeBase64(order)?.toString() ?? ''];
  if (!salt || hash?.length !== DIGEST_BYTES[digest] || !saltPosition) return null;
  return toSaltedSha({ digest, saltPosition, salt, hash });
}

/** Decodes an `{SSHA}` hash: the digest of password and salt, followed by the salt. */
export function decodeSsha(fields: HashFields): DecodedHash | null {
  const digest = fields.length === undefined ? 'sha1' : (`sha${fields.length}` as HashDigest);
  const bytes = decodeBase64(fields.hash);
  const end = DIGEST_BYTES[digest];
  if (!bytes || bytes.length <= end) return null;
  const [hash, salt] = [bytes.subarray(0, end), bytes.subarray(end)];
  return toSaltedSha({ digest, saltPosition: 'last', salt, hash });
}

export function decodeTextSaltedSha({ digest = 'sha256', ...fields }: HashFields): DecodedHash | null {
  const hash = decodeTextSaltedHash(fields);
  if (hash?.length !== DIGEST_BYTES[digest]) return null;
  return toSaltedSha({ digest, saltPosition: 'key', salt: Buffer.from(fields.text!), hash });
}

const toSaltedSha = (hash: Omit<Extract<ImportedHash, { scheme: 'salted-sha' }>, 'scheme'>): DecodedHash => ({
  hash: { scheme: 'salted-sha', ...hash },
  ms: 0.1,
  bytes: 0,
});

const decodeTextSaltedHash = ({ hex, hash }: HashFields): Buffer | null =>
  hex === undefined ? decodeHashBytes(hash) : decodeHexHash(hex);

/** PBKDF2 block size, in bytes. */
const BLOCK_BYTES = { sha1: 20, sha256: 32, sha512: 64 };

export type Digest = keyof typeof BLOCK_BYTES;

const encode = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** Decodes base64 or base64url, with or without padding. Returns null for any other value. */
export function decodeBase64(text: unknown): Buffer | null {
  if (typeof text !== 'string') return null;
  const isBase64 = /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) && text.replace(/=+$/, '').length % 4 !== 1;
  return isBase64 ? Buffer.from(text, 'base64') : null;
}

/** Decodes hexadecimal digits. Returns null for any other value. */
export const decodeHex = (text: unknown): Buffer | null =>
  typeof text === 'string' && /^([0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, 'hex') : null;

/** Minimum length of a hash that Gatehouse accepts, in bytes. A shorter one would match too many passwords. */
const MIN_HASH_BYTES = 16;

/** Returns the hash, or null if it is missing or too short. */
export const toHash = (bytes: Buffer | null): Buffer | null =>
  bytes && bytes.length >= MIN_HASH_BYTES ? bytes : null;

/** Returns a positive integer, or null for any other value. @param value a number or a string of digits */
export function readPositiveInteger(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number > 0 ? number : null;
}

/** Returns true for a complete bcrypt, argon2id or argon2i hash in the format that Gatehouse accepts. */
export const isCompleteHash = (text: string): boolean =>
  /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/.test(text) ||
  /^\$argon2id?\$v=19\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+={0,2}\$[A-Za-z0-9+/]+={0,2}$/.test(text);

/**
 * Returns a PBKDF2 hash as a PHC string. Only the first block of a longer hash is kept: the blocks are calculated
 * separately (RFC 8018, section 5.2), so the first one is as hard to guess as the entire hash, and cheaper to verify.
 */
export const pbkdf2Hash = (digest: Digest, iterations: number, salt: Buffer, hash: Buffer): string =>
  `$pbkdf2-${digest}$i=${iterations}$${encode(salt)}$${encode(hash.subarray(0, BLOCK_BYTES[digest]))}`;

/** Returns a version 1.3 argon2id or argon2i hash as a PHC string. @param memory in KiB */
export const argon2Hash = (
  kind: 'id' | 'i',
  { memory, passes, lanes }: { memory: number; passes: number; lanes: number },
  salt: Buffer,
  hash: Buffer,
): string => `$argon2${kind}$v=19$m=${memory},t=${passes},p=${lanes}$${encode(salt)}$${encode(hash)}`;

/** Returns a scrypt hash as a PHC string. @param ln the base-2 logarithm of the cost */
export const scryptHash = (
  { ln, r, p }: { ln: number; r: number; p: number },
  salt: Buffer,
  hash: Buffer,
): string => `$scrypt$ln=${ln},r=${r},p=${p}$${encode(salt)}$${encode(hash)}`;

/** Returns a salted password digest in the Ory Kratos format. @param position the salt's position */
export function saltedShaHash(
  digest: Digest,
  position: 'first' | 'last',
  salt: Buffer,
  hash: Buffer,
): string {
  const order = Buffer.from(position === 'first' ? '{SALT}{PASSWORD}' : '{PASSWORD}{SALT}');
  const [pf, saltText, hashText] = [order, salt, hash].map((bytes) => bytes.toString('base64'));
  return `$${digest}$pf=${pf}$${saltText}$${hashText}`;
}

/** The parameters with which Firebase hashes all passwords of a project. */
export interface FirebaseHashConfig {
  signerKey: Buffer;
  saltSeparator: Buffer;
  rounds: number;
  memoryCost: number;
}

/** Returns a Firebase hash in the Supabase Auth format. */
export function firebaseScryptHash(config: FirebaseHashConfig, salt: Buffer, hash: Buffer): string {
  const [separator, key] = [config.saltSeparator, config.signerKey].map((bytes) => bytes.toString('base64'));
  const parameters = `v=1,n=${config.memoryCost},r=${config.rounds},p=1,ss=${separator},sk=${key}`;
  return `$fbscrypt$${parameters}$${salt.toString('base64')}$${hash.toString('base64')}`;
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Encodes bytes as base32 without padding (RFC 4648). */
export function encodeBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => BASE32[Number.parseInt(group.padEnd(5, '0'), 2)]).join('');
}

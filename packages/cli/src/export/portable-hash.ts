import { decodeBase64, type Digest } from '../import/password-hashes.js';
import type { Differences } from './differences.js';
import type { ExportedCustomer, Reason } from './target.js';

/** The parts of a password hash that other systems can verify. */
export type PortableHash =
  | { scheme: 'bcrypt'; text: string }
  | {
      scheme: 'argon2';
      type: 'i' | 'id';
      /** In KiB. */
      memory: number;
      passes: number;
      lanes: number;
      salt: Buffer;
      hash: Buffer;
    }
  | { scheme: 'scrypt'; ln: number; r: number; p: number; salt: Buffer; hash: Buffer }
  | { scheme: 'pbkdf2'; digest: Digest; iterations: number; salt: Buffer; hash: Buffer }
  | ({ scheme: 'fbscrypt'; n: number; r: number; p: number } & Record<
      'separator' | 'key' | 'salt' | 'hash',
      string
    >);

const BCRYPT = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/;
const ARGON2 =
  /^\$argon2(?<type>id|i)\$v=19\$m=(?<m>\d+),t=(?<t>\d+),p=(?<p>\d+)\$(?<salt>[^$]+)\$(?<hash>[^$]+)$/;
const SCRYPT = /^\$scrypt\$ln=(?<ln>\d+),r=(?<r>\d+),p=(?<p>\d+)\$(?<salt>[^$]+)\$(?<hash>[^$]+)$/;
const PBKDF2 =
  /^\$pbkdf2(?:-(?<digest>sha1|sha256|sha512))?\$(?:i=)?(?<i>\d+)(?:,l=\d+)?\$(?<salt>[^$]+)\$(?<hash>[^$]+)$/;
const DJANGO = /^pbkdf2_(?<digest>sha1|sha256)\$(?<i>\d+)\$(?<salt>[^$]+)\$(?<hash>[^$]+)$/;
const FBSCRYPT =
  /^\$fbscrypt\$v=1,n=(?<n>\d+),r=(?<r>\d+),p=(?<p>\d+),ss=(?<separator>[^,$]+),sk=(?<key>[^,$]+)\$(?<salt>[^$]+)\$(?<hash>[^$]+)$/;

/** Decodes base64, including passlib's variant with `.` instead of `+`. */
const decode = (text: string | undefined): Buffer =>
  decodeBase64(text?.replaceAll('.', '+')) ?? Buffer.alloc(0);

/** Encodes bytes as base64 without padding, as PHC strings require. */
export const encodeBare = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

/** Parses a hash in a format that Gatehouse imports (docs/backend.md). Returns null for any other string. */
export function parsePortableHash(text: string): PortableHash | null {
  if (BCRYPT.test(text)) return { scheme: 'bcrypt', text };
  const argon2 = ARGON2.exec(text)?.groups;
  if (argon2) {
    const [memory, passes, lanes] = [Number(argon2['m']), Number(argon2['t']), Number(argon2['p'])];
    const type = argon2['type'] as 'i' | 'id';
    return { scheme: 'argon2', type, memory, passes, lanes, ...decodeBytes(argon2) };
  }
  const scrypt = SCRYPT.exec(text)?.groups;
  if (scrypt) {
    const [ln, r, p] = [Number(scrypt['ln']), Number(scrypt['r']), Number(scrypt['p'])];
    return { scheme: 'scrypt', ln, r, p, ...decodeBytes(scrypt) };
  }
  return parsePbkdf2(text) ?? parseFirebaseScrypt(text);
}

const decodeBytes = ({ salt, hash }: Record<string, string>): { salt: Buffer; hash: Buffer } => ({
  salt: decode(salt),
  hash: decode(hash),
});

function parsePbkdf2(text: string): PortableHash | null {
  const passlib = PBKDF2.exec(text)?.groups;
  // passlib omits the digest for SHA-1.
  const digest = (passlib?.['digest'] ?? 'sha1') as Digest;
  if (passlib) return { scheme: 'pbkdf2', digest, iterations: Number(passlib['i']), ...decodeBytes(passlib) };
  const django = DJANGO.exec(text)?.groups;
  if (!django) return null;
  const { digest: name, i, salt, hash } = django as Record<'digest' | 'i' | 'salt' | 'hash', string>;
  // Django does not encode the salt.
  return {
    ...{ scheme: 'pbkdf2', digest: name as Digest, iterations: Number(i) },
    ...{ salt: Buffer.from(salt), hash: decode(hash) },
  };
}

function parseFirebaseScrypt(text: string): PortableHash | null {
  const groups = FBSCRYPT.exec(text)?.groups;
  if (!groups) return null;
  const [n, r, p] = ['n', 'r', 'p'].map((name) => Number(groups[name])) as [number, number, number];
  // Other systems require the padding, unlike Gatehouse.
  const [separator, key, salt, hash] = ['separator', 'key', 'salt', 'hash'].map((name) =>
    decode(groups[name]).toString('base64'),
  ) as [string, string, string, string];
  return { scheme: 'fbscrypt', n, r, p, separator, key, salt, hash };
}

/** Returns a Firebase hash as Supabase Auth stores it. */
export const fbscryptText = (hash: PortableHash & { scheme: 'fbscrypt' }): string =>
  `$fbscrypt$v=1,n=${hash.n},r=${hash.r},p=${hash.p},ss=${hash.separator},sk=${hash.key}$${hash.salt}$${hash.hash}`;

/** Returns an argon2 hash as a PHC string without padding. */
export const argon2Text = ({
  type,
  memory,
  passes,
  lanes,
  salt,
  hash,
}: PortableHash & { scheme: 'argon2' }): string =>
  `$argon2${type}$v=19$m=${memory},t=${passes},p=${lanes}$${encodeBare(salt)}$${encodeBare(hash)}`;

/** Returns a PBKDF2 hash as a PHC string with its length, without padding. */
export const pbkdf2Text = ({ digest, iterations, salt, hash }: PortableHash & { scheme: 'pbkdf2' }): string =>
  `$pbkdf2-${digest}$i=${iterations},l=${hash.length}$${encodeBare(salt)}$${encodeBare(hash)}`;

/** The reason for a hash that only Gatehouse can verify. */
export const PEPPERED: Reason = {
  reason: 'Gatehouse has hashed the password with a key that the system does not have',
  remedy:
    'Set up the system to verify these hashes as docs/moving-out.md describes, or ask the customer to reset the password. With passwordHashing "portable", sign-ins store hashes that other systems accept',
};

/** The reason for a hash with an algorithm that the other system does not support. */
export const UNKNOWN_ALGORITHM: Reason = {
  reason: 'The system does not accept password hashes of this algorithm or with these parameters',
  remedy:
    'Ask the customer to reset the password, or to sign in to Gatehouse before the export, while passwordHashing is "portable"',
};

/**
 * Converts the password hash to the other system's form. Returns null if the customer has no password, or if
 * its hash is left out.
 * @param write returns the converted hash, or null if the system does not accept it
 */
export function convertPassword<T>(
  { passwordHash }: ExportedCustomer,
  differences: Differences,
  write: (hash: PortableHash) => T | null,
): T | null {
  if (!passwordHash) return null;
  const parsed = parsePortableHash(passwordHash);
  const written = parsed && write(parsed);
  if (written === null)
    differences.leaveOut('passwordHash', passwordHash.startsWith('v1$') ? PEPPERED : UNKNOWN_ALGORITHM);
  return written;
}

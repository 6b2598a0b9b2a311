import {
  decodeBase64,
  decodeHex,
  firebaseScryptHash,
  isCompleteHash,
  pbkdf2Hash,
  readPositiveInteger,
  scryptHash,
  toHash,
} from '../password-hashes.js';
import { reasons, type Reason } from '../reasons.js';

const DJANGO_SHA256 = 'bcrypt_sha256$';

/**
 * Converters to the formats that Gatehouse accepts, by `password_hasher`. They return null for a malformed digest.
 * Formats: https://clerk.com/docs/reference/backend/user/create-user
 */
const converters: Readonly<Record<string, (digest: string) => string | null>> = {
  bcrypt: (digest) => (isCompleteHash(digest) ? digest : null),
  argon2id: (digest) => (isCompleteHash(digest) ? digest : null),
  argon2i: (digest) => (isCompleteHash(digest) ? digest : null),
  bcrypt_sha256_django: (digest) =>
    digest.startsWith(DJANGO_SHA256) && isCompleteHash(digest.slice(DJANGO_SHA256.length)) ? digest : null,
  phpass: (digest) => (/^\$[PH]\$[./0-9A-Za-z]{31}$/.test(digest) ? digest : null),
  // The salt is not encoded, as Gatehouse expects in this format.
  pbkdf2_sha256_django: (digest) => (/^pbkdf2_sha256(\$[^$]+){3}$/.test(digest) ? digest : null),
  pbkdf2_sha256: (digest) => convertPbkdf2('sha256', digest, decodeBase64, decodeBase64),
  pbkdf2_sha1: (digest) =>
    convertPbkdf2('sha1', digest, (salt) => decodeHex(salt) ?? Buffer.from(salt), decodeHex),
  pbkdf2_sha512: (digest) => convertPbkdf2('sha512', digest, (salt) => Buffer.from(salt), decodeHex),
  pbkdf2_sha512_hex: (digest) => convertPbkdf2('sha512', digest, decodeHex, decodeHex),
  scrypt_firebase: convertFirebase,
  scrypt_werkzeug: convertWerkzeug,
};

/** Converts a Clerk digest to a format that Gatehouse accepts, or returns the reason why it cannot be imported. */
export function convertClerkHash(hasher: string, digest: string): { hash: string } | { problem: Reason } {
  const convert = Object.hasOwn(converters, hasher) ? converters[hasher] : undefined;
  if (!convert) return { problem: reasons.hasher };
  const hash = convert(digest);
  return hash === null ? { problem: reasons.malformedHash } : { hash };
}

function convertPbkdf2(
  digest: 'sha1' | 'sha256' | 'sha512',
  text: string,
  decodeSalt: (salt: string) => Buffer | null,
  decodeHash: (hash: string) => Buffer | null,
): string | null {
  // The SHA-1 format may end with the key's length.
  const [, iterationsText, saltText = '', hashText = ''] = text.split('$');
  const [iterations, salt, hash] = [
    readPositiveInteger(iterationsText),
    decodeSalt(saltText),
    toHash(decodeHash(hashText)),
  ];
  return iterations && salt?.length && hash ? pbkdf2Hash(digest, iterations, salt, hash) : null;
}

/** Converts `<hash>$<salt>$<signer key>$<salt separator>$<rounds>$<memory cost>`. */
function convertFirebase(text: string): string | null {
  const [hashBytes = null, salt, signerKey, saltSeparator] = text.split('$').slice(0, 4).map(decodeBase64);
  const [rounds, memoryCost] = text.split('$').slice(4).map(readPositiveInteger);
  const hash = toHash(hashBytes);
  if (!hash || !salt || !signerKey || !saltSeparator || !rounds || !memoryCost) return null;
  return firebaseScryptHash({ signerKey, saltSeparator, rounds, memoryCost }, salt, hash);
}

/** Converts `scrypt:<N>:<r>:<p>$<salt>$<hash>`, where the salt is not encoded and the hash is hexadecimal. */
function convertWerkzeug(text: string): string | null {
  const [method = '', salt, hashText] = text.replace(/^\$/, '').split('$');
  const [name, ...numbers] = method.split(':');
  const [N, r, p] = numbers.map(readPositiveInteger);
  const hash = toHash(decodeHex(hashText));
  const ln = Math.log2(N ?? 0);
  if (name !== 'scrypt' || !Number.isInteger(ln) || !r || !p || !salt || !hash) return null;
  return scryptHash({ ln, r, p }, Buffer.from(salt), hash);
}

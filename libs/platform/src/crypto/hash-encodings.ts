/**
 * The allowed hash lengths in bytes. A shorter hash would match too many passwords, and no format produces a longer
 * one.
 */
const HASH_LENGTH = { min: 16, max: 64 };

/** The crypt(3) digits, by value. */
const CRYPT_DIGITS = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export const isHashLength = (length: number): boolean =>
  length >= HASH_LENGTH.min && length <= HASH_LENGTH.max;

/**
 * Decodes base64 with or without padding. Returns null for a string that is not the canonical encoding of its bytes.
 */
export function decodeBase64(text: string): Buffer | null {
  const decoded = Buffer.from(text, 'base64');
  const padded = decoded.toString('base64');
  return text === padded || text === padded.replace(/=+$/, '') ? decoded : null;
}

/** Decodes passlib's base64 variant, which uses `.` instead of `+`. */
export function decodePasslibBase64(text: string): Buffer | null {
  return decodeBase64(text.includes('+') ? text : text.replaceAll('.', '+'));
}

/** Decodes a base64 hash. Returns null if it is invalid or its length is not allowed. */
export function decodeHashBytes(text: string): Buffer | null {
  const hash = decodeBase64(text);
  return hash && isHashLength(hash.length) ? hash : null;
}

/** Decodes a hexadecimal hash. Returns null if it is invalid or its length is not allowed. */
export function decodeHexHash(text: string): Buffer | null {
  const hash = Buffer.from(text, 'hex');
  return hash.length * 2 === text.length && isHashLength(hash.length) ? hash : null;
}

/** Returns a crypt(3) digit's value, from 0 to 63. */
export const cryptDigit = (digit: string): number => CRYPT_DIGITS.indexOf(digit);

/** Decodes crypt(3) digits of 6 bits each, least significant first. */
export function decodeCryptDigits(text: string): Buffer {
  const bytes: number[] = [];
  let [value, bits] = [0, 0];
  for (const digit of text) {
    value |= cryptDigit(digit) << bits;
    bits += 6;
    if (bits < 8) continue;
    bytes.push(value & 0xff);
    value >>= 8;
    bits -= 8;
  }
  return Buffer.from(bytes);
}

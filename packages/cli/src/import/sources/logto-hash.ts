import { decodeHex, pbkdf2Hash, readPositiveInteger, saltedShaHash, toHash } from '../password-hashes.js';
import { parseJson } from '../source-values.js';

/**
 * Converts `["sha256", ["<salt>", "@"], "<hex>"]` and `["pbkdf2", ["<salt>", "1000", "20", "sha512", "@"], "<hex>"]`,
 * where `@` is the password (https://docs.logto.io/user-management/user-migration).
 */
export function convertLegacyHash(text: string): string | null {
  const parsed = parseJson(text);
  const [algorithm, values, hex] = Array.isArray(parsed) ? (parsed as unknown[]) : [];
  const hash = toHash(decodeHex(hex));
  const texts = Array.isArray(values) ? values.map(String) : [];
  const [first = '', second = '', , digest] = texts;
  if (!hash) return null;
  if (algorithm === 'pbkdf2') {
    const iterations = readPositiveInteger(second);
    if (!iterations || (digest !== 'sha1' && digest !== 'sha256' && digest !== 'sha512')) return null;
    return pbkdf2Hash(digest, iterations, Buffer.from(first), hash);
  }
  const isSha = algorithm === 'sha1' || algorithm === 'sha256' || algorithm === 'sha512';
  if (!isSha || texts.length !== 2 || (first === '@') === (second === '@')) return null;
  const isFirst = second === '@';
  return saltedShaHash(algorithm, isFirst ? 'first' : 'last', Buffer.from(isFirst ? first : second), hash);
}

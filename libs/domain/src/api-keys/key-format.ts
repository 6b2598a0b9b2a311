import { crc32 } from 'node:zlib';

export type ApiKeyType = 'secret' | 'publishable';

/** The published API key format, for secret scanners. */
export const apiKeyPattern = /^(sk|pk)_[0-9A-Za-z]{49}$/;

/** Matches a secret key or an endpoint's signing secret anywhere in a string. */
const secretPattern = /\bsk_[0-9A-Za-z]{49}|\bwhsec_[0-9A-Za-z+/]/;

/** Returns whether a string contains a secret, for example one that was pasted by mistake. */
export const containsSecret = (text: string): boolean => secretPattern.test(text);

const prefixes: Record<ApiKeyType, string> = { secret: 'sk_', publishable: 'pk_' };
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function encodeBase62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = alphabet[Number(rest % 62n)] + text;
  return text.padStart(length, '0');
}

const checksum = (text: string): string => encodeBase62(BigInt(crc32(text)), 6);

/**
 * Creates a key from 32 random bytes: prefix, 43 base62 characters, and 6 characters with the zlib CRC-32 checksum of
 * the preceding characters.
 */
export function formatApiKey(type: ApiKeyType, random: Buffer): string {
  if (random.length !== 32) throw new RangeError('an API key requires 32 random bytes');
  const body = prefixes[type] + encodeBase62(BigInt(`0x${random.toString('hex')}`), 43);
  return body + checksum(body);
}

/**
 * Returns a key's type, or null if the key is malformed. The checksum allows most invalid keys to be rejected
 * without a database query.
 */
export function apiKeyType(text: string): ApiKeyType | null {
  if (!apiKeyPattern.test(text)) return null;
  if (checksum(text.slice(0, -6)) !== text.slice(-6)) return null;
  return text.startsWith(prefixes.secret) ? 'secret' : 'publishable';
}

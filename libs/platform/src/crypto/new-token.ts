import { sha256 } from './hashes.js';
import { secureBytes } from './random.js';

/** Returns a new token with 256 random bits, and its SHA-256 hash. Only the hash is stored. */
export function newToken(): { token: string; tokenHash: Buffer } {
  const token = secureBytes(32).toString('base64url');
  return { token, tokenHash: sha256(token) };
}

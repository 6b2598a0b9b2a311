// oxlint-disable-next-line no-restricted-imports -- the function of this file uses it
import { randomBytes } from 'node:crypto';

/** Number of bytes that are generated at once: a call for the 16 bytes of an id takes longer than everything else about it. */
const POOL_LENGTH = 2_048;

let pool = Buffer.alloc(0);

/**
 * Returns `length` bytes from the random number generator of the operating system for values that are not secret, such as ids
 * and initialization vectors: the bytes are in memory before they are used.
 */
export function nonceBytes(length: number): Buffer {
  if (pool.length < length) pool = randomBytes(POOL_LENGTH);
  const bytes = pool.subarray(0, length);
  pool = pool.subarray(length);
  return bytes;
}

// oxlint-disable-next-line no-restricted-imports -- the function in this file uses it
import { randomBytes } from 'node:crypto';

/**
 * The number of bytes that are generated at once: a call for an id's 16 bytes takes longer than all other work for the
 * id.
 */
const POOL_LENGTH = 2_048;

let pool = Buffer.alloc(0);

/**
 * Returns `length` bytes from the operating system's random number generator for values that are not secret, such as
 * ids and initialization vectors: the bytes are in memory before they are used.
 */
export function nonceBytes(length: number): Buffer {
  if (pool.length < length) pool = randomBytes(POOL_LENGTH);
  const bytes = pool.subarray(0, length);
  pool = pool.subarray(length);
  return bytes;
}

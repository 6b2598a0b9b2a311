// oxlint-disable-next-line no-restricted-imports -- the function in this file uses it
import { randomBytes } from 'node:crypto';

/**
 * The number of bytes that are generated at once. Generating only the 16 bytes of an id would take longer than all
 * other work for the id.
 */
const POOL_LENGTH = 2_048;

let pool = Buffer.alloc(0);

/**
 * Returns `length` bytes from the operating system's random number generator. Use it only for values that are not
 * secret, such as ids and initialization vectors, because the bytes are kept in memory before they are used.
 */
export function nonceBytes(length: number): Buffer {
  if (pool.length < length) pool = randomBytes(POOL_LENGTH);
  const bytes = pool.subarray(0, length);
  pool = pool.subarray(length);
  return bytes;
}

// oxlint-disable-next-line no-restricted-imports -- the functions of this file use it
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
// oxlint-disable-next-line no-restricted-imports -- the functions of this file use it
import { v7 } from 'uuid';
import { nowMs } from '../clock/clock.js';
import { nonceBytes } from './nonce-bytes.js';

/** The newest id's time in ms, and its counter (RFC 9562, section 6.2, method 1). */
let [msecs, seq] = [0, 0];

/** Returns a new UUIDv7 (RFC 9562). Ids from one process always increase, even within a millisecond. */
export function newId(): string {
  const random = nonceBytes(16);
  const time = nowMs();
  // The counter has 32 bits and starts with a 31-bit value, so it cannot overflow within a millisecond.
  if (time > msecs) [msecs, seq] = [time, random.readUInt32BE(6) >>> 1];
  else seq += 1;
  return v7({ random, msecs, seq });
}

/**
 * Returns a new random UUID, for objects that are not ordered by id. It is faster than `newId`, because Node.js
 * generates random UUIDs in advance.
 */
export const newRandomId = (): string => randomUUID();

/** Returns `length` bytes from the operating system's random number generator. */
export const secureBytes = (length: number): Buffer => randomBytes(length);

/** Returns a uniform random number in [0, 1), for jitter. */
export const randomFraction = (): number => randomInt(2 ** 32) / 2 ** 32;

/** Returns `count` random decimal digits from the operating system's random number generator. */
export const secureDigits = (count: number): string => String(randomInt(10 ** count)).padStart(count, '0');

import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { v7 } from 'uuid';

/** A new UUIDv7 (RFC 9562): ordered by time, also within one millisecond of one process. */
export const newId = (): string => v7();

/** A new UUID of what nothing is ordered by: Node makes these in advance. */
export const newRandomId = (): string => randomUUID();

/** `length` bytes from the operating system's generator. */
export const secureBytes = (length: number): Buffer => randomBytes(length);

/** Uniform in [0, 1), for jitter. */
export const randomFraction = (): number => randomInt(2 ** 32) / 2 ** 32;

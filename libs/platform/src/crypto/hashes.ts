import { createHash } from 'node:crypto';

/** SHA-256; enough for values with 256 random bits, which nobody can guess. */
export const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();

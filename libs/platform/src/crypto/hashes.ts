import { hash } from 'node:crypto';

/** Returns JSON with sorted object keys, so that equal values have equal strings. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

/** Returns the SHA-256 hash. It is sufficient for secrets with 256 random bits, which cannot be guessed. */
export const sha256 = (data: string | Buffer): Buffer => hash('sha256', data, 'buffer');

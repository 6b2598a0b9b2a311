import { hash } from 'node:crypto';

/** JSON with the keys of every object in order, so that equal values have equal texts. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

/** SHA-256; enough for values with 256 random bits, which nobody can guess. */
export const sha256 = (data: string | Buffer): Buffer => hash('sha256', data, 'buffer');

import { randomUUID } from 'node:crypto';

/** Returns a unique email address with a constant length. */
export const uniqueEmail = (): string => `${randomUUID()}@example.com`;

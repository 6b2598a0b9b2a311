import { randomUUID } from 'node:crypto';

/** Returns a unique email address of constant length. */
export const uniqueEmail = (): string => `${randomUUID()}@example.com`;

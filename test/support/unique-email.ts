import { randomUUID } from 'node:crypto';

/** An address that nobody else has, always of one length. */
export const uniqueEmail = (): string => `${randomUUID()}@example.com`;

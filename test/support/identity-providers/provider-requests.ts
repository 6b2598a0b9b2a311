import { randomBytes, randomUUID } from 'node:crypto';

/** Returns the body of a request that creates a provider with a unique slug. */
export const newProvider = (differences: Record<string, unknown> = {}): Record<string, unknown> => ({
  type: 'google',
  slug: `google-${randomUUID().slice(0, 8)}`,
  clientId: 'client-of-a-test',
  clientSecret: randomBytes(24).toString('base64url'),
  ...differences,
});

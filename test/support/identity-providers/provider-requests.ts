import { randomBytes, randomUUID } from 'node:crypto';
import type { TestInstance } from '../test-instance.js';

/** Returns the body of a request that creates a provider, with a unique slug. */
export const newProvider = (differences: Record<string, unknown> = {}): Record<string, unknown> => ({
  type: 'google',
  slug: `google-${randomUUID().slice(0, 8)}`,
  clientId: 'client-of-a-test',
  clientSecret: randomBytes(24).toString('base64url'),
  ...differences,
});

/** Inserts an identity of a customer at a provider. */
export async function insertIdentity(
  instance: TestInstance,
  { projectId, providerId, customerId }: { projectId: string; providerId: string; customerId: string },
): Promise<string> {
  const id = randomUUID();
  await instance.sql(
    `INSERT INTO identities (id, project_id, provider_id, customer_id, subject) VALUES ($1, $2, $3, $4, $5)`,
    [id, projectId, providerId, customerId, randomUUID()],
  );
  return id;
}

import { randomUUID } from 'node:crypto';
import { newId } from '../platform.js';
import type { TestInstance } from '../test-instance.js';

export interface ProviderRow {
  id: string;
  projectId: string;
  slug: string;
  type: string;
  name: string;
  enabled: boolean;
}

/** Inserts a provider without secrets, so no sign-in with it is possible. Default: in the instance's project. */
export async function insertProvider(
  instance: TestInstance,
  values: Partial<ProviderRow> = {},
): Promise<ProviderRow> {
  const id = values.id ?? randomUUID();
  const row = {
    ...{ id, projectId: instance.credentials.projectId, slug: `provider-${id}`, type: 'google' },
    ...{ name: 'Google', enabled: true, ...values },
  };
  await instance.sql(
    `INSERT INTO identity_providers (id, project_id, slug, type, name, client_id, client_ids, issuer, tenants, scopes, enabled,
       allow_sign_up, trust_email, require_nonce, required)
     VALUES ($1, $2, $3, $4, $5, 'client', '{}', 'https://provider.example.com', '{}', '{openid}', $6, true, false, false,
       false)`,
    [row.id, row.projectId, row.slug, row.type, row.name, row.enabled],
  );
  return row;
}

/**
 * Links a customer to a user at a provider.
 * @param values by default, a new user at a provider in the customer's project, which is inserted if the project
 * has none
 * @returns the identity's id
 */
export async function insertIdentity(
  instance: TestInstance,
  customerId: string,
  values: { providerId?: string; subject?: string; email?: string } = {},
): Promise<string> {
  const id = newId();
  const [customer] = await instance.sql<{ projectId: string; providerId: string | null }>(
    `SELECT c.project_id AS "projectId", i.id AS "providerId"
     FROM customers c LEFT JOIN identity_providers i ON i.project_id = c.project_id WHERE c.id = $1 LIMIT 1`,
    [customerId],
  );
  const { projectId } = customer!;
  const existing = values.providerId ?? customer!.providerId;
  const providerId = existing ?? (await insertProvider(instance, { projectId })).id;
  await instance.sql(
    `INSERT INTO identities (id, project_id, provider_id, customer_id, subject, email, last_used_at)
     VALUES ($1, $2, $3, $4, $5, $6, now())`,
    [id, projectId, providerId, customerId, values.subject ?? randomUUID(), values.email ?? null],
  );
  return id;
}

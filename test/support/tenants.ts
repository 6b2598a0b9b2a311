import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { formatApiKey, scopes, type Access, type ApiKeyType } from '@gatehouse/domain';
import type { TestInstance } from './test-instance.js';

export interface Tenant {
  organizationId: string;
  projectId: string;
  secretKey: string;
  publishableKey: string;
}

/** Inserts an organization with a project and keys. */
export async function insertOrganization(instance: TestInstance): Promise<Tenant> {
  const organizationId = randomUUID();
  await instance.sql('INSERT INTO organizations (id, name, slug) VALUES ($1, $2, $2)', [
    organizationId,
    `org-${organizationId}`,
  ]);
  return insertProject(instance, organizationId);
}

/** Inserts a project into an organization, with a project key and a publishable key. */
export async function insertProject(instance: TestInstance, organizationId: string): Promise<Tenant> {
  const projectId = randomUUID();
  await instance.sql('INSERT INTO projects (id, organization_id, name, slug) VALUES ($1, $2, $3, $3)', [
    projectId,
    organizationId,
    `project-${projectId}`,
  ]);
  const tenant = { organizationId, projectId };
  return {
    ...tenant,
    secretKey: await insertKey(instance, { ...tenant, type: 'secret' }),
    publishableKey: await insertKey(instance, { ...tenant, type: 'publishable' }),
  };
}

export interface KeyOptions {
  organizationId: string;
  projectId: string;
  type: ApiKeyType;
  access?: Access;
  scopes?: string[];
}

/** Inserts an API key with any scopes. @returns the key's value */
export async function insertKey(instance: TestInstance, options: KeyOptions): Promise<string> {
  const value = formatApiKey(options.type, randomBytes(32));
  await instance.sql(
    `INSERT INTO api_keys (id, organization_id, project_id, name, type, access, scopes, key_hash, prefix, last4)
     VALUES ($1, $2, $3, 'test', $4, $5, $6, $7, $8, $9)`,
    [
      randomUUID(),
      options.organizationId,
      options.projectId,
      options.type,
      options.access ?? 'project',
      options.type === 'secret' ? (options.scopes ?? [...scopes]) : [],
      createHash('sha256').update(value).digest(),
      value.slice(0, 8),
      value.slice(-4),
    ],
  );
  return value;
}

import { randomBytes, randomUUID } from 'node:crypto';
import { domainRecord } from '@gatehouse/domain';
import { expectStatus } from '../customers.js';
import type { NameServer } from '../name-server.js';
import type { Tenant } from '../tenants.js';
import type { TestInstance, TestResponse } from '../test-instance.js';

/** A provider with one domain. */
export interface DomainProvider {
  id: string;
  slug: string;
  domain: string;
  token: string;
}

type Project = Pick<Tenant, 'projectId' | 'secretKey'>;

/** Returns a unique domain. */
export const newDomain = (): string => `acme-${randomBytes(5).toString('hex')}.example`;

/** Inserts a provider with an unverified domain. */
export async function insertDomainProvider(
  instance: TestInstance,
  { domain = newDomain(), required = false, enabled = true } = {},
  { projectId }: Pick<Project, 'projectId'> = instance.credentials,
): Promise<DomainProvider> {
  const provider = {
    id: randomUUID(),
    slug: `acme-${randomUUID().slice(0, 8)}`,
    domain,
    token: randomUUID(),
  };
  await instance.sql(
    `INSERT INTO identity_providers (id, project_id, slug, type, name, client_id, client_ids, issuer, tenants, scopes, enabled,
       allow_sign_up, trust_email, require_nonce, required)
     VALUES ($1, $2, $3, 'oidc', 'Acme', 'acme', '{}', 'http://127.0.0.1:9', '{}', '{openid}', $4, true, true, false, $5)`,
    [provider.id, projectId, provider.slug, enabled, required],
  );
  await instance.sql(
    'INSERT INTO identity_provider_domains (project_id, provider_id, domain, token) VALUES ($1, $2, $3, $4)',
    [projectId, provider.id, domain, provider.token],
  );
  return provider;
}

/** Publishes the record of a domain. */
export function publishRecord(
  nameServer: NameServer,
  provider: Pick<DomainProvider, 'domain' | 'token'>,
): void {
  const { name, value } = domainRecord(provider);
  nameServer.records[name] = { texts: [value] };
}

/** Has the api look up the record of a domain. */
export const checkDomain = (
  instance: TestInstance,
  { id, domain }: Pick<DomainProvider, 'id' | 'domain'>,
  { projectId, secretKey }: Project = instance.credentials,
): Promise<TestResponse> =>
  instance.requestWithBearer(
    secretKey,
    'POST',
    `/api/v1/projects/${projectId}/identity-providers/${id}/domains/${domain}/verify`,
  );

/** Creates a provider with a verified domain. */
export async function createVerifiedProvider(
  instance: TestInstance,
  nameServer: NameServer,
  options: Parameters<typeof insertDomainProvider>[1] = {},
  project: Project = instance.credentials,
): Promise<DomainProvider> {
  const provider = await insertDomainProvider(instance, options, project);
  publishRecord(nameServer, provider);
  const { body } = expectStatus(200, await checkDomain(instance, provider, project));
  if (body.verifiedAt === null) throw new Error(`the domain is not verified: ${body.detail}`);
  return provider;
}

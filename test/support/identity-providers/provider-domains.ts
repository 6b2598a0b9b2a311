import { randomBytes } from 'node:crypto';
import type { DomainRecord } from '@gatehouse/domain';
import { expectStatus } from '../customers.js';
import type { NameServer } from '../name-server.js';
import type { Tenant } from '../tenants.js';
import type { TestInstance, TestResponse } from '../test-instance.js';
import { newProvider } from './provider-requests.js';

/** A provider with one domain, and the record that verifies it. */
export interface DomainProvider {
  id: string;
  slug: string;
  domain: string;
  record: DomainRecord;
}

type Project = Pick<Tenant, 'projectId' | 'secretKey'>;

/** Returns a unique domain. */
export const newDomain = (): string => `acme-${randomBytes(5).toString('hex')}.example`;

/** Sends a request to a project's providers. */
export const requestProviders = (
  instance: TestInstance,
  method: string,
  path = '',
  body?: object,
  { projectId, secretKey }: Project = instance.credentials,
): Promise<TestResponse> =>
  instance.requestWithBearer(
    secretKey,
    method,
    `/api/v1/projects/${projectId}/identity-providers${path}`,
    body,
  );

/** Creates a provider with an unverified domain. @param fields other request fields */
export async function createDomainProvider(
  instance: TestInstance,
  { domain = newDomain(), ...fields }: { domain?: string } & Record<string, unknown> = {},
  project: Project = instance.credentials,
): Promise<DomainProvider> {
  const oidc = { type: 'oidc', issuer: 'http://127.0.0.1:9', trustEmail: true };
  const body = newProvider({ ...oidc, domains: [domain], ...fields });
  const created = expectStatus(201, await requestProviders(instance, 'POST', '', body, project)).body;
  return { id: created.id, slug: created.slug, domain, record: created.domainVerifications[0].record };
}

/** Publishes the DNS record for a domain. */
export function publishRecord(nameServer: NameServer, { record }: Pick<DomainProvider, 'record'>): void {
  nameServer.records[record.name] = { texts: [record.value] };
}

/** Makes the api look up the DNS record for a domain. */
export const checkDomain = (
  instance: TestInstance,
  { id, domain }: Pick<DomainProvider, 'id' | 'domain'>,
  project: Project = instance.credentials,
): Promise<TestResponse> =>
  requestProviders(instance, 'POST', `/${id}/domains/${domain}/verify`, undefined, project);

/** Creates a provider with a verified domain. */
export async function createVerifiedProvider(
  instance: TestInstance,
  nameServer: NameServer,
  fields: Parameters<typeof createDomainProvider>[1] = {},
  project: Project = instance.credentials,
): Promise<DomainProvider> {
  const provider = await createDomainProvider(instance, fields, project);
  publishRecord(nameServer, provider);
  const { body } = expectStatus(200, await checkDomain(instance, provider, project));
  if (body.verifiedAt === null) throw new Error(`the domain is not verified: ${body.detail}`);
  return provider;
}

/** Makes a provider required for its domains. */
export async function requireProvider(instance: TestInstance, { id }: DomainProvider): Promise<void> {
  expectStatus(200, await requestProviders(instance, 'PATCH', `/${id}`, { required: true }));
}

import { randomUUID } from 'node:crypto';
import { insertTotpFactor } from './customer-factors.js';
import { eventually } from './eventually.js';
import { newProvider } from './identity-providers/provider-requests.js';
import { insertIdentity } from './identity-providers/insert-provider.js';
import { insertPasskey } from './passkeys.js';
import { PASSWORD, type TestInstance } from './test-instance.js';
import { retryWhileRejected } from './retry-while-rejected.js';
import type { Receiver } from './receiver.js';
import type { CredentialKind } from './routes.js';
import { insertKey, type Tenant } from './tenants.js';

/** The type of object that an id or another value identifies. */
export type ResourceKind =
  | 'organization'
  | 'project'
  | 'customer'
  | 'session'
  | 'factor'
  | 'passkey'
  | 'identity'
  | 'key'
  | 'provider'
  | 'endpoint'
  | 'delivery'
  | 'attempt'
  | 'replay'
  | 'redelivery'
  | 'event'
  | 'import'
  | 'entry'
  | 'mail'
  | 'request'
  | 'email'
  | 'externalId';

/** The object types that the values of an input can identify, by input name. */
export const resourceKindsByInput: Record<string, ResourceKind[]> = {
  organizationId: ['organization'],
  organization_id: ['organization'],
  projectId: ['project'],
  project_id: ['project'],
  customerId: ['customer'],
  sessionId: ['session'],
  factorId: ['factor', 'passkey'],
  passkeyId: ['passkey'],
  identityId: ['identity'],
  identity: ['identity'],
  keyId: ['key'],
  providerId: ['provider'],
  endpointId: ['endpoint'],
  endpoint_id: ['endpoint'],
  deliveryId: ['delivery', 'attempt'],
  delivery_id: ['delivery'],
  delivery_ids: ['delivery'],
  redeliveryId: ['redelivery'],
  eventId: ['event'],
  event_id: ['event'],
  importId: ['import'],
  entryId: ['entry'],
  mailId: ['mail'],
  batch_id: ['redelivery'],
  customer_id: ['customer'],
  requestId: ['request'],
  actorId: ['key', 'customer'],
  targetId: ['customer', 'key', 'endpoint', 'project', 'organization', 'delivery', 'redelivery', 'import'],
  email: ['email'],
  q: [
    ...(['email', 'customer', 'organization', 'project', 'endpoint'] as const),
    ...(['delivery', 'attempt', 'event', 'redelivery', 'key'] as const),
  ],
  externalId: ['externalId'],
};

/** A caller and its objects. Lists contain at least two objects of each type. */
export interface CallerFixture {
  credentials: Partial<Record<CredentialKind, string>>;
  resources: Partial<Record<ResourceKind, string[]>>;
}

/** A project with objects of every type, which were created through the API with the project's own keys. */
export interface ProjectFixture extends CallerFixture {
  tenant: Tenant;
  /** The same objects, for a key that can access the whole organization. */
  organization: CallerFixture;
  /** Two customers with two sessions each. `resources` contains the sessions of the first one. */
  customers: [CallerFixture, CallerFixture];
  /** Objects that only organization keys can access: an organization endpoint and its deliveries. */
  organizationOnly: CallerFixture;
}

/** Inserts a finished replay for each delivery in a project. */
const insertReplays = `
  INSERT INTO webhook_replays (id, organization_id, project_id, delivery_id, event_id, endpoint_id, url, created_by,
    started_at, finished_at, http_status, success)
  SELECT gen_random_uuid(), organization_id, project_id, id, event_id, endpoint_id, target_url, 'system', now(), now(), 200,
    true
  FROM deliveries WHERE project_id = $1 RETURNING id`;

export async function createProjectFixture(
  instance: TestInstance,
  tenant: Tenant,
  receiver: Receiver,
): Promise<ProjectFixture> {
  const organizationKey = await insertKey(instance, { ...tenant, type: 'secret', access: 'organization' });
  const project = new FixtureBuilder(instance, tenant.secretKey);
  const organization = new FixtureBuilder(instance, organizationKey);

  const endpoints = [await project.createEndpoint(receiver.url), await project.createEndpoint(receiver.url)];
  const organizationEndpoints = [
    await organization.createEndpoint(receiver.url, { level: 'organization' }),
    await organization.createEndpoint(receiver.url, { level: 'organization' }),
  ];
  const apiCustomers = [await project.createCustomer(), await project.createCustomer()];
  const customers = await Promise.all([project.registerCustomer(tenant), project.registerCustomer(tenant)]);
  const imports = [await project.importCustomers(apiCustomers), await project.importCustomers(apiCustomers)];

  const publishable = tenant.publishableKey;
  const accessToken = customers[0].credentials.access!;
  const projectScoped = await project.waitForDeliveries(endpoints[0]!.id, tenant);
  // Contains only this project's deliveries, so that a project key lacks access only because of the endpoint's level.
  const organizationScoped = await organization.waitForDeliveries(organizationEndpoints[0]!.id, tenant);
  await instance.sql(`UPDATE deliveries SET state = 'failed' WHERE id = ANY ($1)`, [
    [...projectScoped.delivery, ...organizationScoped.delivery].map((id) => id.slice('dlv_'.length)),
  ]);
  const redeliveries = [await project.planRedelivery(), await project.planRedelivery()];
  // Assigns the deliveries to the first redelivery, as if it had created them.
  await instance.sql('UPDATE deliveries SET batch_id = $1 WHERE id = ANY ($2)', [
    redeliveries[0]!.slice('rdl_'.length),
    projectScoped.delivery.map((id) => id.slice('dlv_'.length)),
  ]);
  const findIds = async (sql: string): Promise<string[]> =>
    (await instance.sql<{ id: string }>(sql, [tenant.projectId])).map(({ id }) => id);
  const resources = {
    organization: [tenant.organizationId],
    project: [tenant.projectId],
    customer: [...customers[0].resources.customer!, ...apiCustomers.map(({ id }) => id)],
    session: customers[0].resources.session!,
    factor: customers[0].resources.factor!,
    passkey: customers[0].resources.passkey!,
    identity: customers[0].resources.identity!,
    key: await project.listKeyIds(tenant),
    provider: [await project.createProvider(tenant), await project.createProvider(tenant)],
    endpoint: endpoints.map(({ id }) => id),
    import: imports,
    entry: await findIds('SELECT id FROM audit_log WHERE project_id = $1 LIMIT 2'),
    mail: await findIds('SELECT id FROM mails WHERE project_id = $1 AND parameters IS NOT NULL LIMIT 2'),
    redelivery: redeliveries,
    replay: await findIds(insertReplays),
    request: endpoints.map(({ requestId }) => requestId),
    email: [...customers[0].resources.email!, ...apiCustomers.map(({ email }) => email)],
    externalId: apiCustomers.map(({ externalId }) => externalId),
    ...projectScoped,
  };
  return {
    tenant,
    resources,
    credentials: { secret: tenant.secretKey, publishable, access: accessToken },
    organization: {
      resources,
      credentials: { secret: organizationKey, publishable, access: accessToken },
    },
    customers,
    organizationOnly: {
      credentials: { secret: organizationKey },
      resources: {
        endpoint: organizationEndpoints.map(({ id }) => id),
        request: organizationEndpoints.map(({ requestId }) => requestId),
        delivery: organizationScoped.delivery,
        attempt: organizationScoped.attempt,
        redelivery: [await organization.planRedelivery(), await organization.planRedelivery()],
      },
    },
  };
}

class FixtureBuilder {
  constructor(
    private readonly instance: TestInstance,
    private readonly key: string,
  ) {}

  async createEndpoint(url: string, more: object = {}): Promise<{ id: string; requestId: string }> {
    const body = { url, events: ['customer.created'], ...more };
    const response = await this.request('POST', '/v1/webhooks/endpoints', body);
    return { id: response.body.data.id as string, requestId: response.headers.get('x-request-id')! };
  }

  async createProvider({ projectId }: Tenant): Promise<string> {
    const path = `/api/v1/projects/${projectId}/identity-providers`;
    return (
      await this.request(
        'POST',
        path,
        newProvider({ issuer: 'http://127.0.0.1:9', domains: ['acme.example'] }),
      )
    ).body.id as string;
  }

  async createCustomer(): Promise<{ id: string; email: string; externalId: string }> {
    const body = { email: `${randomUUID()}@example.com`, externalId: randomUUID() };
    return (await this.request('POST', '/api/v1/customers', body)).body;
  }

  /** Registers a customer and logs the customer in once more. */
  async registerCustomer({ publishableKey }: Tenant): Promise<CallerFixture> {
    const email = `${randomUUID()}@example.com`;
    const authenticate = (action: string) =>
      retryWhileRejected(() =>
        this.instance.request('POST', `/api/v1/auth/${action}`, {
          body: { email, password: PASSWORD },
          headers: { 'x-publishable-key': publishableKey },
        }),
      );
    const { id } = (await authenticate('register')).body.customer as { id: string };
    const { accessToken } = (await authenticate('login')).body.tokens as { accessToken: string };
    const session = await this.listIds(`/api/v1/customers/${id}/sessions`);
    const factor = [await insertTotpFactor(this.instance, id), await insertTotpFactor(this.instance, id)];
    const passkey = [await insertPasskey(this.instance, id), await insertPasskey(this.instance, id)];
    const identity = [await insertIdentity(this.instance, id), await insertIdentity(this.instance, id)];
    return {
      credentials: { access: accessToken, publishable: publishableKey },
      resources: { customer: [id], session, factor, passkey, identity, email: [email] },
    };
  }

  /** Runs an import in which every email address is taken. */
  async importCustomers(taken: { email: string }[]): Promise<string> {
    const customers = taken.map(({ email }) => ({ email }));
    return (await this.request('POST', '/api/v1/customers/import', { customers })).body.id as string;
  }

  /** Plans a bulk redelivery of all failed deliveries. */
  async planRedelivery(): Promise<string> {
    return (await this.request('POST', '/v1/webhooks/redeliveries', { filter: {} })).body.data.id as string;
  }

  /** Waits for two attempts to an endpoint. @returns a project's deliveries, attempts and events */
  async waitForDeliveries(endpointId: string, { projectId }: Tenant) {
    const query = `endpoint_id=${endpointId}&project_id=${projectId}`;
    const attempts = await eventually('two attempts', async () => {
      const { data } = (await this.request('GET', `/v1/webhooks/deliveries?${query}`)).body;
      return data.length >= 2 && (data as Record<string, string>[]);
    });
    return {
      delivery: attempts.map(({ delivery_id }) => delivery_id!),
      attempt: attempts.map(({ id }) => id!),
      event: attempts.map(({ event_id }) => event_id!),
    };
  }

  /** Returns the project's key ids. The key that created everything comes first: the others have no activity. */
  async listKeyIds({ projectId, secretKey }: Tenant): Promise<string[]> {
    const path = `/api/v1/projects/${projectId}/api-keys`;
    const keys = (await this.request('GET', path)).body.data as {
      id: string;
      prefix: string;
      last4: string;
    }[];
    const isCreator = (key: (typeof keys)[number]): boolean =>
      secretKey.startsWith(key.prefix) && secretKey.endsWith(key.last4);
    return [...keys.filter(isCreator), ...keys.filter((key) => !isCreator(key))].map(({ id }) => id);
  }

  async listIds(path: string): Promise<string[]> {
    return ((await this.request('GET', path)).body.data as { id: string }[]).map(({ id }) => id);
  }

  /** Sends a request. @throws Error unless it succeeds */
  private async request(method: string, path: string, body?: unknown) {
    const response = await this.instance.request(method, path, {
      body,
      headers: { authorization: `Bearer ${this.key}` },
    });
    if (response.status < 300) return response;
    throw new Error(`${method} ${path} failed: ${JSON.stringify(response.body)}`);
  }
}

import { randomUUID } from 'node:crypto';
import { eventually } from './eventually.js';
import { PASSWORD, type TestInstance } from './test-instance.js';
import { retryWhileRejected } from './retry-while-rejected.js';
import type { Receiver } from './receiver.js';
import type { CredentialKind } from './routes.js';
import { insertKey, type Tenant } from './tenants.js';

/** What an id, or another value that names one object, belongs to. */
export type ResourceKind =
  | 'organization'
  | 'project'
  | 'customer'
  | 'session'
  | 'key'
  | 'endpoint'
  | 'delivery'
  | 'attempt'
  | 'redelivery'
  | 'event'
  | 'import'
  | 'request'
  | 'email'
  | 'externalId';

/** What the values of an input name, by the input's own name. */
export const resourceKindsByInput: Record<string, ResourceKind[]> = {
  organizationId: ['organization'],
  organization_id: ['organization'],
  projectId: ['project'],
  project_id: ['project'],
  customerId: ['customer'],
  sessionId: ['session'],
  keyId: ['key'],
  endpointId: ['endpoint'],
  endpoint_id: ['endpoint'],
  deliveryId: ['delivery', 'attempt'],
  delivery_id: ['delivery'],
  delivery_ids: ['delivery'],
  redeliveryId: ['redelivery'],
  eventId: ['event'],
  event_id: ['event'],
  importId: ['import'],
  requestId: ['request'],
  actorId: ['key', 'customer'],
  targetId: ['customer', 'key', 'endpoint', 'project', 'organization', 'delivery', 'redelivery', 'import'],
  email: ['email'],
  q: ['email'],
  externalId: ['externalId'],
};

/** Somebody who calls, and what is theirs: two of everything that comes in lists. */
export interface CallerFixture {
  credentials: Partial<Record<CredentialKind, string>>;
  resources: Partial<Record<ResourceKind, string[]>>;
}

/** A project with everything that a project can hold, made through the API by its own keys. */
export interface ProjectFixture extends CallerFixture {
  tenant: Tenant;
  /** The same things, held by a key that reaches the whole organization. */
  organization: CallerFixture;
  /** Two customers with two sessions each, of whom the first one's are in `things`. */
  customers: [CallerFixture, CallerFixture];
  /** What only organization keys see: an endpoint of organization level, and what went to it. */
  organizationOnly: CallerFixture;
}

export async function createProjectFixture(
  instance: TestInstance,
  tenant: Tenant,
  receiver: Receiver,
): Promise<ProjectFixture> {
  const organizationKey = await insertKey(instance, { ...tenant, type: 'secret', access: 'organization' });
  const project = new FixtureBuilder(instance, tenant.secretKey);
  const organization = new FixtureBuilder(instance, organizationKey);

  const endpoints = [await project.createEndpoint(receiver.url), await project.createEndpoint(receiver.url)];
  const wide = [
    await organization.createEndpoint(receiver.url, { level: 'organization' }),
    await organization.createEndpoint(receiver.url, { level: 'organization' }),
  ];
  const made = [await project.createCustomer(), await project.createCustomer()];
  const customers = await Promise.all([project.registerCustomer(tenant), project.registerCustomer(tenant)]);
  const imports = [await project.importCustomers(made), await project.importCustomers(made)];

  const publishable = tenant.publishableKey;
  const accessToken = customers[0].credentials.access!;
  const narrow = await project.waitForDeliveries(endpoints[0]!.id, tenant);
  // Of this project: what happened in another one is hidden from its key for two reasons.
  const heard = await organization.waitForDeliveries(wide[0]!.id, tenant);
  await instance.sql(`UPDATE deliveries SET state = 'failed' WHERE id = ANY ($1)`, [
    [...narrow.delivery, ...heard.delivery].map((id) => id.slice('dlv_'.length)),
  ]);
  const things = {
    organization: [tenant.organizationId],
    project: [tenant.projectId],
    customer: [...customers[0].resources.customer!, ...made.map(({ id }) => id)],
    session: customers[0].resources.session!,
    key: await project.listKeyIds(tenant),
    endpoint: endpoints.map(({ id }) => id),
    import: imports,
    redelivery: [await project.planRedelivery(), await project.planRedelivery()],
    request: endpoints.map(({ requestId }) => requestId),
    email: [...customers[0].resources.email!, ...made.map(({ email }) => email)],
    externalId: made.map(({ externalId }) => externalId),
    ...narrow,
  };
  return {
    tenant,
    resources: things,
    credentials: { secret: tenant.secretKey, publishable, access: accessToken },
    organization: {
      resources: things,
      credentials: { secret: organizationKey, publishable, access: accessToken },
    },
    customers,
    organizationOnly: {
      credentials: { secret: organizationKey },
      resources: {
        endpoint: wide.map(({ id }) => id),
        request: wide.map(({ requestId }) => requestId),
        delivery: heard.delivery,
        attempt: heard.attempt,
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
    const answer = await this.request('POST', '/v1/webhooks/endpoints', body);
    return { id: answer.body.data.id as string, requestId: answer.headers.get('x-request-id')! };
  }

  async createCustomer(): Promise<{ id: string; email: string; externalId: string }> {
    const body = { email: `${randomUUID()}@example.com`, externalId: randomUUID() };
    return (await this.request('POST', '/api/v1/customers', body)).body;
  }

  /** A customer who registers, and logs in once more. */
  async registerCustomer({ publishableKey }: Tenant): Promise<CallerFixture> {
    const email = `${randomUUID()}@example.com`;
    const enter = (action: string) =>
      retryWhileRejected(() =>
        this.instance.request('POST', `/api/v1/auth/${action}`, {
          body: { email, password: PASSWORD },
          headers: { 'x-publishable-key': publishableKey },
        }),
      );
    const { id } = (await enter('register')).body.customer as { id: string };
    const { accessToken } = (await enter('login')).body.tokens as { accessToken: string };
    const session = await this.listIds(`/api/v1/customers/${id}/sessions`);
    return {
      credentials: { access: accessToken, publishable: publishableKey },
      resources: { customer: [id], session, email: [email] },
    };
  }

  /** An import that finds every address taken. */
  async importCustomers(taken: { email: string }[]): Promise<string> {
    const customers = taken.map(({ email }) => ({ email }));
    return (await this.request('POST', '/api/v1/customers/import', { customers })).body.id as string;
  }

  /** A plan to redeliver everything that has failed. */
  async planRedelivery(): Promise<string> {
    return (await this.request('POST', '/v1/webhooks/redeliveries', { filter: {} })).body.data.id as string;
  }

  /** What happened in a project and went to an endpoint, once two deliveries have arrived. */
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

  /** The ids of its project's keys, that of the key which made everything first: the others have done nothing. */
  async listKeyIds({ projectId, secretKey }: Tenant): Promise<string[]> {
    const path = `/api/v1/projects/${projectId}/api-keys`;
    const keys = (await this.request('GET', path)).body.data as {
      id: string;
      prefix: string;
      last4: string;
    }[];
    const isMaker = (key: (typeof keys)[number]): boolean =>
      secretKey.startsWith(key.prefix) && secretKey.endsWith(key.last4);
    return [...keys.filter(isMaker), ...keys.filter((key) => !isMaker(key))].map(({ id }) => id);
  }

  async listIds(path: string): Promise<string[]> {
    return ((await this.request('GET', path)).body.data as { id: string }[]).map(({ id }) => id);
  }

  /** @throws Error unless it succeeds */
  private async request(method: string, path: string, body?: unknown) {
    const answer = await this.instance.request(method, path, {
      body,
      headers: { authorization: `Bearer ${this.key}` },
    });
    if (answer.status < 300) return answer;
    throw new Error(`${method} ${path} was refused: ${JSON.stringify(answer.body)}`);
  }
}

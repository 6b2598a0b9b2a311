import { randomUUID } from 'node:crypto';
import { eventually } from './eventually.js';
import { PASSWORD, type TestInstance } from './test-instance.js';
import { patiently } from './patiently.js';
import type { Receiver } from './receiver.js';
import type { Kind } from './routes.js';
import { insertKey, type Tenant } from './tenants.js';

/** What an id, or another value that names one object, belongs to. */
export type Thing =
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
export const thingsNamed: Record<string, Thing[]> = {
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
export interface Holder {
  credentials: Partial<Record<Kind, string>>;
  things: Partial<Record<Thing, string[]>>;
}

/** A project with everything that a project can hold, made through the API by its own keys. */
export interface Population extends Holder {
  tenant: Tenant;
  /** The same things, held by a key that reaches the whole organization. */
  organization: Holder;
  /** Two customers with two sessions each, of whom the first one's are in `things`. */
  customers: [Holder, Holder];
  /** What only organization keys see: an endpoint of organization level, and what went to it. */
  beyondProjects: Holder;
}

export async function populate(
  instance: TestInstance,
  tenant: Tenant,
  receiver: Receiver,
): Promise<Population> {
  const organizationKey = await insertKey(instance, { ...tenant, type: 'secret', access: 'organization' });
  const project = new Filler(instance, tenant.secretKey);
  const organization = new Filler(instance, organizationKey);

  const endpoints = [await project.endpoint(receiver.url), await project.endpoint(receiver.url)];
  const wide = [
    await organization.endpoint(receiver.url, { level: 'organization' }),
    await organization.endpoint(receiver.url, { level: 'organization' }),
  ];
  const made = [await project.customer(), await project.customer()];
  const customers = await Promise.all([project.visitor(tenant), project.visitor(tenant)]);
  const imports = [await project.import(made), await project.import(made)];

  const publishable = tenant.publishableKey;
  const accessToken = customers[0].credentials.access!;
  const narrow = await project.deliveries(endpoints[0]!.id, tenant);
  // Of this project: what happened in another one is hidden from its key for two reasons.
  const heard = await organization.deliveries(wide[0]!.id, tenant);
  await instance.sql(`UPDATE deliveries SET state = 'failed' WHERE id = ANY ($1)`, [
    [...narrow.delivery, ...heard.delivery].map((id) => id.slice('dlv_'.length)),
  ]);
  const things = {
    organization: [tenant.organizationId],
    project: [tenant.projectId],
    customer: [...customers[0].things.customer!, ...made.map(({ id }) => id)],
    session: customers[0].things.session!,
    key: await project.keys(tenant),
    endpoint: endpoints.map(({ id }) => id),
    import: imports,
    redelivery: [await project.redelivery(), await project.redelivery()],
    request: endpoints.map(({ requestId }) => requestId),
    email: [...customers[0].things.email!, ...made.map(({ email }) => email)],
    externalId: made.map(({ externalId }) => externalId),
    ...narrow,
  };
  return {
    tenant,
    things,
    credentials: { secret: tenant.secretKey, publishable, access: accessToken },
    organization: { things, credentials: { secret: organizationKey, publishable, access: accessToken } },
    customers,
    beyondProjects: {
      credentials: { secret: organizationKey },
      things: {
        endpoint: wide.map(({ id }) => id),
        request: wide.map(({ requestId }) => requestId),
        delivery: heard.delivery,
        attempt: heard.attempt,
        redelivery: [await organization.redelivery(), await organization.redelivery()],
      },
    },
  };
}

class Filler {
  constructor(
    private readonly instance: TestInstance,
    private readonly key: string,
  ) {}

  async endpoint(url: string, more: object = {}): Promise<{ id: string; requestId: string }> {
    const body = { url, events: ['customer.created'], ...more };
    const answer = await this.ask('POST', '/v1/webhooks/endpoints', body);
    return { id: answer.body.data.id as string, requestId: answer.headers.get('x-request-id')! };
  }

  async customer(): Promise<{ id: string; email: string; externalId: string }> {
    const body = { email: `${randomUUID()}@example.com`, externalId: randomUUID() };
    return (await this.ask('POST', '/api/v1/customers', body)).body;
  }

  /** A customer who registers, and logs in once more. */
  async visitor({ publishableKey }: Tenant): Promise<Holder> {
    const email = `${randomUUID()}@example.com`;
    const enter = (action: string) =>
      patiently(() =>
        this.instance.request('POST', `/api/v1/auth/${action}`, {
          body: { email, password: PASSWORD },
          headers: { 'x-publishable-key': publishableKey },
        }),
      );
    const { id } = (await enter('register')).body.customer as { id: string };
    const { accessToken } = (await enter('login')).body.tokens as { accessToken: string };
    const session = await this.ids(`/api/v1/customers/${id}/sessions`);
    return {
      credentials: { access: accessToken, publishable: publishableKey },
      things: { customer: [id], session, email: [email] },
    };
  }

  /** An import that finds every address taken. */
  async import(taken: { email: string }[]): Promise<string> {
    const customers = taken.map(({ email }) => ({ email }));
    return (await this.ask('POST', '/api/v1/customers/import', { customers })).body.id as string;
  }

  /** A plan to redeliver everything that has failed. */
  async redelivery(): Promise<string> {
    return (await this.ask('POST', '/v1/webhooks/redeliveries', { filter: {} })).body.data.id as string;
  }

  /** What happened in a project and went to an endpoint, once two deliveries have arrived. */
  async deliveries(endpointId: string, { projectId }: Tenant) {
    const query = `endpoint_id=${endpointId}&project_id=${projectId}`;
    const attempts = await eventually('two attempts', async () => {
      const { data } = (await this.ask('GET', `/v1/webhooks/deliveries?${query}`)).body;
      return data.length >= 2 && (data as Record<string, string>[]);
    });
    return {
      delivery: attempts.map(({ delivery_id }) => delivery_id!),
      attempt: attempts.map(({ id }) => id!),
      event: attempts.map(({ event_id }) => event_id!),
    };
  }

  /** The ids of its project's keys, that of the key which made everything first: the others have done nothing. */
  async keys({ projectId, secretKey }: Tenant): Promise<string[]> {
    const path = `/api/v1/projects/${projectId}/api-keys`;
    const keys = (await this.ask('GET', path)).body.data as { id: string; prefix: string; last4: string }[];
    const isMaker = (key: (typeof keys)[number]): boolean =>
      secretKey.startsWith(key.prefix) && secretKey.endsWith(key.last4);
    return [...keys.filter(isMaker), ...keys.filter((key) => !isMaker(key))].map(({ id }) => id);
  }

  async ids(path: string): Promise<string[]> {
    return ((await this.ask('GET', path)).body.data as { id: string }[]).map(({ id }) => id);
  }

  /** @throws Error unless it succeeds */
  private async ask(method: string, path: string, body?: unknown) {
    const answer = await this.instance.request(method, path, {
      body,
      headers: { authorization: `Bearer ${this.key}` },
    });
    if (answer.status < 300) return answer;
    throw new Error(`${method} ${path} was refused: ${JSON.stringify(answer.body)}`);
  }
}

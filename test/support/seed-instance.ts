import { randomUUID } from 'node:crypto';
import type { TestInstance } from './test-instance.js';
import type { OperatorClient } from './operator-client.js';
import { createPartitions, seedDeliveries, type SeedDelivery } from './seed-deliveries.js';
import { insertOrganization } from './tenants.js';

const DAYS = 4;
const DAY_MS = 86_400_000;

/** The objects that the seeded deliveries refer to. */
export interface SeededInstance {
  projects: [string, string];
  /** Two endpoints in the first project, one in its organization, one in the other project. */
  endpoints: string[];
  /** The last customer has no event. The first two are in different projects and have the same email address. */
  customers: { id: string; email: string }[];
}

/** Inserts `count` deliveries for two organizations, with events about several customers. */
export async function seedInstance(instance: TestInstance, count: number): Promise<SeededInstance> {
  const { organizationId, projectId } = instance.credentials;
  const other = await insertOrganization(instance);
  const endpoints = await Promise.all([
    insertEndpoint(instance, organizationId, projectId, 'https://one.example.com/hooks/a'),
    insertEndpoint(instance, organizationId, projectId, 'https://one.example.com/hooks/b'),
    insertEndpoint(instance, organizationId, null, 'https://all.example.com/'),
    insertEndpoint(
      instance,
      other.organizationId,
      other.projectId,
      `https://one.example.com/${'x'.repeat(300)}`,
    ),
  ]);
  const customers = await Promise.all(
    ['ada', 'ada', 'grace', 'alan'].map(async (name, index) => {
      const customer = { id: randomUUID(), email: `${name}@example.com` };
      const project = index === 1 ? other.projectId : projectId;
      await instance.sql('INSERT INTO customers (id, project_id, email) VALUES ($1, $2, $3)', [
        customer.id,
        project,
        customer.email,
      ]);
      return customer;
    }),
  );
  const startedAt = Date.now() - DAYS * DAY_MS;
  await createPartitions(instance, startedAt - DAY_MS);
  const types = ['customer.created', 'session.created', 'customer.deleted'];
  const deliveries = Array.from({ length: count }, (_, index): SeedDelivery => {
    const at = startedAt + index * ((DAYS * DAY_MS - 3 * 3_600_000) / count);
    const endpoint = index % endpoints.length;
    const isDead = index % 5 === 0;
    return {
      endpointId: endpoints[endpoint]!,
      projectId: endpoint === 3 ? other.projectId : projectId,
      organizationId: endpoint === 3 ? other.organizationId : organizationId,
      ...(index % 7 === 0 ? { customerId: customers[endpoint === 3 ? 1 : (index % 2) * 2]!.id } : {}),
      eventType: types[index % 40 ? index % 2 : 2]!,
      state: isDead ? 'failed' : 'succeeded',
      ...(isDead && index % 3 ? { resolution: index % 3 === 1 ? 'discarded' : 'redelivered' } : {}),
      attempts: (isDead ? Array<number>(5).fill(index % 2 ? 500 : 404) : [200]).map((status, nth) => ({
        at: at + nth * 60_000,
        status,
      })),
    };
  });
  await seedDeliveries(instance, deliveries);
  return { projects: [projectId, other.projectId], endpoints, customers };
}

export async function insertEndpoint(
  instance: TestInstance,
  organizationId: string,
  projectId: string | null,
  url: string,
): Promise<string> {
  const id = randomUUID();
  await instance.sql(
    `INSERT INTO webhook_endpoints (id, organization_id, project_id, level, url, events, secret)
     VALUES ($1, $2, $3, $4, $5, '{}', '')`,
    [id, organizationId, projectId, projectId ? 'project' : 'organization', url],
  );
  return id;
}

/** Returns the ids on all pages of a console list, with either kind of cursor. */
export async function listAll(
  operator: OperatorClient,
  path: string,
  query: Record<string, string> = {},
): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const parameters = new URLSearchParams({ limit: '200', ...query, ...(cursor ? { cursor } : {}) });
    const { status, body } = await operator.request('GET', `${path}?${parameters}`);
    if (status !== 200) throw new Error(`${path}?${parameters}: ${status} ${JSON.stringify(body)}`);
    ids.push(...(body.data as { id: string }[]).map(({ id }) => id));
    cursor = (body.next_cursor ?? body.nextCursor ?? null) as string | null;
  }
  return ids;
}

/** Returns the number of entries in a list. */
export async function getCount(
  operator: OperatorClient,
  path: string,
  query: Record<string, string> = {},
): Promise<{ count: number; isMore: boolean }> {
  const { status, body } = await operator.request('GET', `${path}/count?${new URLSearchParams(query)}`);
  if (status !== 200) throw new Error(`${path}/count: ${status} ${JSON.stringify(body)}`);
  return body as { count: number; isMore: boolean };
}

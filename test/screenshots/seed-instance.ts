import { v7 as uuid } from 'uuid';
import { PASSWORD, type TestInstance } from '../support/test-instance.js';
import { signIn, type OperatorClient } from '../support/operator-client.js';
import { uuidAt } from '../support/seed-deliveries.js';
import { resolveOutage } from './resolve-outage.js';
import { seedLog, insertRows, type SeedEndpoint, type AttemptOutcome } from './seed-log.js';
import { createProviders } from './create-providers.js';
import { operatorRequest, personAt, type Person } from './sample-people.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const unavailable: AttemptOutcome = {
  status: 503,
  error: 'http_error',
  body: '{"error":"maintenance","message":"The CRM is being upgraded. Back at 16:00 UTC."}',
};
const badGateway: AttemptOutcome = {
  status: 502,
  error: 'http_error',
  body: '<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n',
};
const notConnected: AttemptOutcome = { status: 0, error: 'connection_error', body: '' };
const timedOut: AttemptOutcome = { status: 0, error: 'timeout', body: '' };
const invalidSignature: AttemptOutcome = {
  status: 401,
  error: 'http_error',
  body: '{"error":"invalid_signature","hint":"Is the signing secret the one after the rotation?"}',
};

/** Records whose screens appear in screenshots. */
export interface FeaturedRecords {
  project: string;
  customer: string;
  /** With its prefix, like the ids below. */
  endpoint: string;
  delivery: string;
  event: string;
  batch: string;
  organization: string;
}

/** Creates two organizations with several months of data. No worker may be running yet. */
export async function seedInstance(
  instance: TestInstance,
): Promise<{ operator: OperatorClient; chosen: FeaturedRecords }> {
  const operator = await signIn(instance);
  await operatorRequest(operator, 'PATCH', `/operators/${operator.operator.id}`, { name: 'Mara Lind' });
  const nordwind = instance.credentials.organizationId;
  await operatorRequest(operator, 'PATCH', `/organizations/${nordwind}`, { name: 'Nordwind' });
  await operatorRequest(operator, 'PATCH', `/projects/${instance.credentials.projectId}`, {
    name: 'Sandbox',
  });
  const lumen = await operatorRequest(operator, 'POST', '/organizations', {
    name: 'Lumen Health',
    slug: 'lumen-health',
  });
  const create = async (organizationId: string, name: string, environment: string, settings = {}) =>
    (await operatorRequest(operator, 'POST', '/projects', { organizationId, name, environment, settings }))
      .id as string;
  const portal = await create(lumen.id as string, 'Patient portal', 'production');
  await create(nordwind, 'Shop (staging)', 'staging');
  const app = await create(nordwind, 'Mobile app', 'production');
  const shop = await create(nordwind, 'Shop', 'production', {
    allowedOrigins: ['https://shop.nordwind.example', 'https://checkout.nordwind.example'],
    redirectUrls: ['https://shop.nordwind.example/welcome'],
    accessTokenTtl: 900,
    accessTokenClaims: ['plan', 'locale'],
    passwordMinLength: 10,
    breachCheck: true,
    branding: { displayName: 'Nordwind Shop', color: '#0b6e5f' },
    mail: { fromName: 'Nordwind Shop', replyTo: 'help@nordwind.example' },
  });

  const publishableKey = await createKeys(instance, operator, shop);
  await createProviders(operator, shop);
  const customer = await registerCustomers(instance, publishableKey, shop);
  const people = {
    shop: [...(await insertCustomers(instance, shop, 0, 46)), customer],
    app: await insertCustomers(instance, app, 46, 24),
    portal: await insertCustomers(instance, portal, 70, 16),
  };
  const createEndpoint = endpointFactory(instance, operator);
  const orders = await createEndpoint(
    shop,
    'https://api.nordwind.example/hooks/gatehouse',
    ['*'],
    38,
    failAtRate(0.004),
  );
  const crm = await createEndpoint(
    shop,
    'https://crm.nordwind.example/webhooks/identity',
    ['customer.*'],
    120,
    (ago, random) =>
      Math.abs(ago - 5.2 * DAY_MS) < 2.5 * HOUR_MS ? unavailable : random < 0.004 ? timedOut : null,
  );
  const partner = await createEndpoint(
    app,
    'https://hooks.loyalty.example/nordwind/events',
    ['customer.*', 'login.*'],
    210,
    (ago, random) =>
      ago < 6 * HOUR_MS ? (random < 0.75 ? badGateway : notConnected) : random < 0.03 ? badGateway : null,
  );
  const push = await createEndpoint(
    app,
    'https://push.nordwind.example/gatehouse',
    ['session.*'],
    24,
    failAtRate(0.002),
  );
  const clinic = await createEndpoint(
    portal,
    'https://portal.lumen-health.example/api/webhooks',
    ['*'],
    74,
    (ago, random) =>
      ago > 26 * HOUR_MS && ago < 30 * HOUR_MS ? invalidSignature : random < 0.01 ? notConnected : null,
  );
  await createEndpoint(
    shop,
    'https://legacy-erp.nordwind.example/hook',
    ['customer.*'],
    0,
    failAtRate(0),
    'failing',
  );
  const buildProject = (
    organizationId: string,
    projectId: string,
    customers: Person[],
    eventsPerDay: number,
    endpoints: SeedEndpoint[],
  ) => ({
    organizationId,
    projectId,
    customers,
    eventsPerDay,
    endpoints,
  });
  await seedLog(instance, [
    buildProject(nordwind, shop, people.shop, 560, [orders, crm]),
    buildProject(nordwind, app, people.app, 150, [partner, push]),
    buildProject(lumen.id as string, portal, people.portal, 80, [clinic]),
  ]);
  await insertEndpointHealth(instance);
  for (const table of ['organizations', 'projects'])
    await instance.sql(
      `UPDATE ${table} SET created_at = now() - interval '71 days', updated_at = now() - interval '9 days'`,
    );
  const { batch, delivery, event } = await resolveOutage(instance, operator, { crm, partner });
  await createOperators(instance, operator);
  return {
    operator,
    chosen: {
      ...{ project: shop, customer: customer.id, organization: nordwind, endpoint: `ep_${partner.id}` },
      ...{ batch, delivery, event },
    },
  };
}

const failAtRate =
  (share: number) =>
  (_: number, random: number): AttemptOutcome | null =>
    random < share ? notConnected : null;

async function insertCustomers(
  instance: TestInstance,
  projectId: string,
  from: number,
  count: number,
): Promise<Person[]> {
  const now = Date.now();
  const rows = Array.from({ length: count }, (_, index) => {
    const { firstName, lastName, email } = personAt(from + index);
    const at = now - (count - index) * 2.3 * DAY_MS - ((index * 7) % 24) * HOUR_MS;
    const isNew = index % 9 === 8;
    return {
      id: uuidAt(at),
      project_id: projectId,
      external_id: index % 3 === 0 ? `crm-${48_211 + from + index}` : null,
      email,
      first_name: firstName,
      last_name: lastName,
      email_verified: !isNew,
      password_hash: index % 13 === 12 ? null : '$2b$04$',
      metadata: { plan: index % 4 === 0 ? 'plus' : 'free' },
      public_metadata: {},
      disabled_at: index % 17 === 16 ? iso(now - 3 * DAY_MS) : null,
      last_login_at: isNew ? null : iso(now - ((index * 53) % 400) * 0.11 * HOUR_MS - 4 * HOUR_MS),
      created_at: iso(at),
      updated_at: iso(at),
    };
  });
  await insertRows(instance, 'customers', rows);
  return rows.map(({ id, email, first_name, last_name }) => ({
    id,
    email,
    firstName: first_name,
    lastName: last_name,
  }));
}

/** Registers customers who sign in themselves, which creates emails and sessions. @returns the first customer */
async function registerCustomers(
  instance: TestInstance,
  publishableKey: string,
  projectId: string,
): Promise<Person> {
  const agents = [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0',
  ];
  const names = [
    { firstName: 'Ingrid', lastName: 'Solberg', email: 'ingrid.solberg@example.com' },
    { firstName: 'Mateo', lastName: 'Vidal', email: 'mateo.vidal@example.com' },
    { firstName: 'Priya', lastName: 'Nair', email: 'priya.nair@example.com' },
  ];
  const ids: string[] = [];
  for (const [index, name] of names.entries()) {
    const post = (action: string, agent: string, body: object) =>
      instance.request('POST', `/api/v1/auth/${action}`, {
        body,
        headers: { 'x-publishable-key': publishableKey, 'user-agent': agent },
      });
    const { body } = await post('register', agents[index]!, { ...name, password: PASSWORD });
    ids.push(body.customer.id as string);
    for (const agent of agents.slice(0, 2 - index))
      await post('login', agent, { email: name.email, password: PASSWORD });
  }
  await instance.sql(
    `UPDATE sessions s SET ip = '203.0.113.' || 20 + n FROM (SELECT id, row_number() OVER () AS n FROM sessions) each
     WHERE each.id = s.id`,
  );
  await instance.sql(
    `UPDATE customers SET email_verified = true, external_id = 'crm-48190', created_at = now() - interval '41 days',
       metadata = '{"plan": "plus", "newsletter": true}' WHERE id = $1 AND project_id = $2`,
    [ids[0], projectId],
  );
  return { id: ids[0]!, ...names[0]! };
}

/** Creates keys in every state. @returns a publishable key's value */
async function createKeys(
  instance: TestInstance,
  operator: OperatorClient,
  projectId: string,
): Promise<string> {
  const create = (body: object) =>
    operatorRequest(operator, 'POST', `/projects/${projectId}/api-keys`, { access: 'project', ...body });
  // More than a week from now: an earlier expiry would send an event.
  const soon = iso(Date.now() + 9 * DAY_MS);
  const web = await create({ name: 'Web shop', type: 'publishable' });
  await create({ name: 'Order service', type: 'secret', scopes: ['customer:read', 'customer:write'] });
  await create({ name: 'Nightly export', type: 'secret', scopes: ['customer:read'], expiresAt: soon });
  const revoked = await create({ name: 'Agency trial', type: 'secret', scopes: ['customer:read'] });
  await operatorRequest(operator, 'DELETE', `/projects/${projectId}/api-keys/${revoked.id}`);
  await instance.sql(
    `UPDATE api_keys SET created_at = now() - interval '63 days',
       last_used_at = CASE WHEN revoked_at IS NULL THEN now() - interval '4 minutes' END WHERE project_id = $1`,
    [projectId],
  );
  return web.key as string;
}

/** Endpoint names by host. Any other endpoint is named after its host. */
const endpointNames: Record<string, string> = {
  'api.nordwind.example': 'Order service',
  'crm.nordwind.example': 'CRM',
  'hooks.loyalty.example': 'Loyalty partner',
};

function endpointFactory(instance: TestInstance, operator: OperatorClient) {
  return async (
    projectId: string,
    url: string,
    types: string[],
    typicalMs: number,
    failure: SeedEndpoint['failure'],
    disabledReason?: string,
  ): Promise<SeedEndpoint> => {
    const { data } = await operatorRequest(operator, 'POST', '/webhooks/endpoints', {
      project_id: projectId,
      name: endpointNames[new URL(url).host] ?? null,
      url,
      events: types,
    });
    const id = (data.id as string).slice('ep_'.length);
    await instance.sql(
      `UPDATE webhook_endpoints SET created_at = now() - interval '58 days', updated_at = now() - interval '12 days',
         status = CASE WHEN $2::text IS NULL THEN status ELSE 'disabled' END, disabled_reason = $2,
         disabled_at = CASE WHEN $2::text IS NOT NULL THEN now() - interval '9 days' END WHERE id = $1`,
      [id, disabledReason ?? null],
    );
    return { id, url, types, typicalMs, failure };
  };
}

/** Inserts the endpoint health that workers would have recorded. */
const insertEndpointHealth = (instance: TestInstance): Promise<unknown> =>
  instance.sql(
    `INSERT INTO endpoint_health (endpoint_id, failing_since, last_success_at, last_failure_at)
     SELECT endpoint_id, CASE WHEN last_failure > last_success THEN (
         SELECT min(started_at) FROM attempts b WHERE b.endpoint_id = a.endpoint_id AND b.started_at > last_success
       ) END, last_success, last_failure
     FROM (
       SELECT endpoint_id, max(started_at) FILTER (WHERE success) AS last_success,
         max(started_at) FILTER (WHERE NOT success) AS last_failure
       FROM attempts GROUP BY endpoint_id
     ) a`,
  );

async function createOperators(instance: TestInstance, operator: OperatorClient): Promise<void> {
  for (const [email, name, role] of [
    ['jonas.weber@nordwind.example', 'Jonas Weber', 'operator'],
    ['aiko.mori@nordwind.example', 'Aiko Mori', 'viewer'],
    ['sam.oduya@nordwind.example', null, 'operator'],
  ] as const) {
    const { id } = await operatorRequest(operator, 'POST', '/operators', { email, role });
    if (name === null) continue;
    await instance.sql(
      `UPDATE operators SET name = $2, password_hash = $4, totp_secret = '', last_login_at = now() - interval '20 hours',
         disabled_at = CASE WHEN $3 = 'viewer' THEN now() - interval '2 days' END WHERE id = $1`,
      [id, name, role, uuid()],
    );
  }
}

const iso = (time: number): string => new Date(time).toISOString();

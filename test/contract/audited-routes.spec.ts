import { createHash, randomUUID } from 'node:crypto';
import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { ROUTE_CREDENTIAL, type RouteCredential } from '#auth';
import { ApiModule } from '../../apps/api/src/api.module.js';
import { eventually } from '../support/eventually.js';
import { House, type Answer } from '../support/house.js';
import { Receiver } from '../support/receiver.js';

let house: House;
let receiver: Receiver;
beforeAll(async () => {
  house = await House.start({ env: { RATE_LIMITS: 'off' } });
  receiver = await Receiver.start();
});
afterAll(async () => {
  await house?.stop();
  await receiver?.stop();
});

type Handler = object | undefined;

/** Every route that a secret key opens and that changes something, or carries everything about somebody out. */
function changingRoutes(): string[] {
  const controllers = Reflect.getMetadata('controllers', ApiModule) as { prototype: object }[];
  return controllers.flatMap((controller) =>
    Object.values(Object.getOwnPropertyDescriptors(controller.prototype)).flatMap(({ value }) => {
      const handler = value as Handler;
      const credential = [handler, controller]
        .map(
          (place) => place && (Reflect.getMetadata(ROUTE_CREDENTIAL, place) as RouteCredential | undefined),
        )
        .find(Boolean);
      if (!handler || !credential?.kinds.includes('secret-key')) return [];
      const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
      const parts = [controller, handler].map((place) => Reflect.getMetadata(PATH_METADATA, place) as string);
      const path = `/${parts.join('/')}`.replace(/\/+$/, '');
      return method === 'GET' && !path.endsWith('/export') ? [] : [`${method} ${path}`];
    }),
  );
}

const newCustomer = async (): Promise<string> => {
  const { body } = await house.server('POST', '/api/v1/customers', { email: `${randomUUID()}@example.com` });
  return body.id as string;
};
const newSession = async (): Promise<{ customerId: string; sessionId: string }> => {
  const customerId = (await house.register()).body.customer.id as string;
  const { body } = await house.server('GET', `/api/v1/customers/${customerId}/sessions`);
  return { customerId, sessionId: body.data[0].id as string };
};
const newOrganization = async (): Promise<string> =>
  (
    await house.server('POST', '/api/v1/organizations', {
      name: 'Shop',
      slug: `shop-${randomUUID().slice(0, 8)}`,
    })
  ).body.id as string;
const newProject = async (): Promise<string> =>
  (await house.server('POST', '/api/v1/projects', { name: `Shop ${randomUUID()}` })).body.id as string;
const newKey = async (): Promise<string> => {
  const project = await newProject();
  const { body } = await house.server('POST', `/api/v1/projects/${project}/api-keys`, { name: 'Service' });
  return `/api/v1/projects/${project}/api-keys/${body.id as string}`;
};
const newEndpoint = async (): Promise<string> => (await house.createEndpoint('http://127.0.0.1:9/')).id;

/** A delivery that has come to its end. */
const doneDelivery = async (): Promise<string> => {
  const { id } = await house.createEndpoint(receiver.url, ['customer.created']);
  await newCustomer();
  const [attempt] = await eventually('a delivery', async () => {
    const attempts = await house.attempts({ endpoint_id: id });
    return attempts.length > 0 && attempts;
  });
  return attempt!['delivery_id'] as string;
};

/** How each route is made to change something, and what the audit log calls that. */
const changes: Record<string, [action: string, make: () => Promise<Answer>]> = {
  'POST /api/v1/auth/register': [
    'customer.created',
    () => {
      const body = { email: `${randomUUID()}@example.com`, password: 'an unusual long phrase' };
      return house.server('POST', '/api/v1/auth/register', body);
    },
  ],
  'POST /api/v1/billing/portal': [
    'organization.billing_portal_opened',
    () => house.server('POST', '/api/v1/billing/portal', { returnUrl: 'https://app.example.com/' }),
  ],
  'POST /api/v1/customers': [
    'customer.created',
    () => house.server('POST', '/api/v1/customers', { email: `${randomUUID()}@example.com` }),
  ],
  'POST /api/v1/customers/import': [
    'import.started',
    () => {
      const customers = [{ email: `${randomUUID()}@example.com` }];
      return house.server('POST', '/api/v1/customers/import', { customers });
    },
  ],
  'PATCH /api/v1/customers/:customerId': [
    'customer.updated',
    async () => house.server('PATCH', `/api/v1/customers/${await newCustomer()}`, { firstName: 'Ada' }),
  ],
  'GET /api/v1/customers/:customerId/export': [
    'customer.exported',
    async () => house.server('GET', `/api/v1/customers/${await newCustomer()}/export`),
  ],
  'POST /api/v1/customers/:customerId/disable': [
    'customer.disabled',
    async () => house.server('POST', `/api/v1/customers/${await newCustomer()}/disable`),
  ],
  'POST /api/v1/customers/:customerId/enable': [
    'customer.enabled',
    async () => {
      const path = `/api/v1/customers/${await newCustomer()}`;
      await house.server('POST', `${path}/disable`);
      return house.server('POST', `${path}/enable`);
    },
  ],
  'POST /api/v1/customers/:customerId/unlock': [
    'customer.unlocked',
    async () => house.server('POST', `/api/v1/customers/${await newCustomer()}/unlock`),
  ],
  'DELETE /api/v1/customers/:customerId': [
    'customer.deleted',
    async () => house.server('DELETE', `/api/v1/customers/${await newCustomer()}`),
  ],
  'DELETE /api/v1/customers/:customerId/sessions': [
    'customer.sessions_revoked',
    async () => house.server('DELETE', `/api/v1/customers/${(await newSession()).customerId}/sessions`),
  ],
  'DELETE /api/v1/customers/:customerId/sessions/:sessionId': [
    'customer.sessions_revoked',
    async () => {
      const { customerId, sessionId } = await newSession();
      return house.server('DELETE', `/api/v1/customers/${customerId}/sessions/${sessionId}`);
    },
  ],
  'POST /api/v1/organizations': [
    'organization.created',
    () => house.server('POST', '/api/v1/organizations', { name: 'Shop', slug: 'a-shop' }),
  ],
  'PATCH /api/v1/organizations/:organizationId': [
    'organization.updated',
    async () => house.server('PATCH', `/api/v1/organizations/${await newOrganization()}`, { name: 'Other' }),
  ],
  'POST /api/v1/projects': [
    'project.created',
    () => house.server('POST', '/api/v1/projects', { name: 'Shop' }),
  ],
  'PATCH /api/v1/projects/:projectId': [
    'project.updated',
    async () => house.server('PATCH', `/api/v1/projects/${await newProject()}`, { name: 'Other' }),
  ],
  'GET /api/v1/projects/:projectId/export': [
    'project.exported',
    async () => house.server('GET', `/api/v1/projects/${await newProject()}/export`),
  ],
  'POST /api/v1/projects/:projectId/archive': [
    'project.archived',
    async () => house.server('POST', `/api/v1/projects/${await newProject()}/archive`),
  ],
  'POST /api/v1/projects/:projectId/api-keys': [
    'api_key.created',
    async () => house.server('POST', `/api/v1/projects/${await newProject()}/api-keys`, { name: 'Service' }),
  ],
  'POST /api/v1/projects/:projectId/api-keys/:keyId/rotate': [
    'api_key.rotated',
    async () => house.server('POST', `${await newKey()}/rotate`),
  ],
  'DELETE /api/v1/projects/:projectId/api-keys/:keyId': [
    'api_key.revoked',
    async () => house.server('DELETE', await newKey()),
  ],
  'POST /v1/webhooks/endpoints': [
    'webhook_endpoint.created',
    () => house.server('POST', '/v1/webhooks/endpoints', { url: 'http://127.0.0.1:9/' }),
  ],
  'PATCH /v1/webhooks/endpoints/:endpointId': [
    'webhook_endpoint.updated',
    async () => house.server('PATCH', `/v1/webhooks/endpoints/${await newEndpoint()}`, { events: ['*'] }),
  ],
  'DELETE /v1/webhooks/endpoints/:endpointId': [
    'webhook_endpoint.deleted',
    async () => house.server('DELETE', `/v1/webhooks/endpoints/${await newEndpoint()}`),
  ],
  'POST /v1/webhooks/deliveries/:deliveryId/redeliver': [
    'webhook_delivery.redelivered',
    async () => house.server('POST', `/v1/webhooks/deliveries/${await doneDelivery()}/redeliver`),
  ],
};

describe('the audit log', () => {
  it('is watched for every route by which a secret key changes something', () => {
    const routes = changingRoutes();
    expect(routes.length).toBeGreaterThan(20);
    expect(Object.keys(changes).sort()).toEqual(routes.sort());
  });

  it.each(Object.entries(changes))('holds one entry of %s', async (_route, [action, make]) => {
    const answer = await make();
    expect([200, 201, 202, 204]).toContain(answer.status);
    const requestId = answer.headers.get('x-request-id')!;
    const { body } = await house.server('GET', `/api/v1/audit-log?requestId=${requestId}`);
    expect(body.data).toHaveLength(1);
    const [key] = await house.sql('SELECT id FROM api_keys WHERE key_hash = $1', [
      createHash('sha256').update(house.credentials.secretKey).digest(),
    ]);
    expect(body.data[0]).toMatchObject({ action, actorType: 'key', actorId: key!['id'], requestId });
  });

  it('says nothing of a request that changes nothing', async () => {
    const id = await newCustomer();
    await house.server('POST', `/api/v1/customers/${id}/disable`);
    for (const answer of [
      await house.server('POST', `/api/v1/customers/${id}/disable`),
      await house.server('DELETE', `/api/v1/customers/${id}/sessions`),
      await house.server('POST', `/api/v1/customers/${randomUUID()}/disable`),
      await house.server('GET', `/api/v1/customers/${id}`),
    ]) {
      const requestId = answer.headers.get('x-request-id')!;
      const { body } = await house.server('GET', `/api/v1/audit-log?requestId=${requestId}`);
      expect(body.data).toEqual([]);
    }
  });
});

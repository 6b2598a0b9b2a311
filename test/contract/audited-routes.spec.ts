import { createHash, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { routeCredential, type CallerKind } from '#auth';
import { ApiModule } from '../../apps/api/src/api.module.js';
import { operatorControllers } from '../../apps/api/src/operator-controllers.js';
import { eventually } from '../support/eventually.js';
import { TestInstance, type Answer } from '../support/test-instance.js';
import { insertOperator, inviteOperator, OperatorClient } from '../support/operator.js';
import { Receiver } from '../support/receiver.js';

let instance: TestInstance;
let receiver: Receiver;
let admin: OperatorClient;
beforeAll(async () => {
  instance = await TestInstance.shared();
  receiver = await Receiver.start();
  admin = await insertOperator(instance);
});
afterAll(async () => {
  await instance?.stop();
  await receiver?.stop();
});

type Handler = object | undefined;

/**
 * Every route that such a credential opens and that changes something, or carries everything about somebody out. The
 * routes that operators inherit do what those of keys do.
 */
function changingRoutes(kind: CallerKind): string[] {
  const others = Reflect.getMetadata('controllers', ApiModule) as { prototype: object }[];
  const controllers = [...others, ...operatorControllers];
  return controllers.flatMap((controller) =>
    Object.values(Object.getOwnPropertyDescriptors(controller.prototype)).flatMap(({ value }) => {
      const handler = value as Handler;
      // The constructor is none, also where its class names a credential for all of them.
      if (!handler || !Reflect.hasMetadata(METHOD_METADATA, handler)) return [];
      if (!routeCredential(controller, handler)?.kinds.includes(kind)) return [];
      const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
      const parts = [controller, handler].map((place) => Reflect.getMetadata(PATH_METADATA, place) as string);
      const path = `/${parts.join('/')}`.replace(/\/+$/, '');
      return method === 'GET' && !path.endsWith('/export') ? [] : [`${method} ${path}`];
    }),
  );
}

const newCustomer = async (): Promise<string> => {
  const { body } = await instance.server('POST', '/api/v1/customers', {
    email: `${randomUUID()}@example.com`,
  });
  return body.id as string;
};
const newSession = async (): Promise<{ customerId: string; sessionId: string }> => {
  const customerId = (await instance.register()).body.customer.id as string;
  const { body } = await instance.server('GET', `/api/v1/customers/${customerId}/sessions`);
  return { customerId, sessionId: body.data[0].id as string };
};
const newOrganization = async (): Promise<string> =>
  (
    await instance.server('POST', '/api/v1/organizations', {
      name: 'Shop',
      slug: `shop-${randomUUID().slice(0, 8)}`,
    })
  ).body.id as string;
const newProject = async (): Promise<string> =>
  (await instance.server('POST', '/api/v1/projects', { name: `Shop ${randomUUID()}` })).body.id as string;
const newKey = async (): Promise<string> => {
  const project = await newProject();
  const { body } = await instance.server('POST', `/api/v1/projects/${project}/api-keys`, { name: 'Service' });
  return `/api/v1/projects/${project}/api-keys/${body.id as string}`;
};
const newEndpoint = async (): Promise<string> => (await instance.createEndpoint('http://127.0.0.1:9/')).id;

const newRedelivery = async (): Promise<string> => {
  const { body } = await instance.server('POST', '/v1/webhooks/redeliveries', { filter: {} });
  return `/v1/webhooks/redeliveries/${body.data.id as string}`;
};

/** A delivery that has come to its end. */
const doneDelivery = async (): Promise<string> => {
  const { id } = await instance.createEndpoint(receiver.url, ['customer.created']);
  await newCustomer();
  const [attempt] = await eventually('a delivery', async () => {
    const attempts = await instance.attempts({ endpoint_id: id });
    return attempts.length > 0 && attempts;
  });
  return attempt!['delivery_id'] as string;
};

type Changes = Record<string, [action: string, make: () => Promise<Answer>]>;

/** How each route is made to change something, and what the audit log calls that. */
const changes: Changes = {
  'POST /api/v1/auth/register': [
    'customer.created',
    () => {
      const body = { email: `${randomUUID()}@example.com`, password: 'an unusual long phrase' };
      return instance.server('POST', '/api/v1/auth/register', body);
    },
  ],
  'POST /api/v1/billing/portal': [
    'organization.billing_portal_opened',
    () => instance.server('POST', '/api/v1/billing/portal', { returnUrl: 'https://app.example.com/' }),
  ],
  'POST /api/v1/customers': [
    'customer.created',
    () => instance.server('POST', '/api/v1/customers', { email: `${randomUUID()}@example.com` }),
  ],
  'POST /api/v1/customers/import': [
    'import.started',
    () => {
      const customers = [{ email: `${randomUUID()}@example.com` }];
      return instance.server('POST', '/api/v1/customers/import', { customers });
    },
  ],
  'PATCH /api/v1/customers/:customerId': [
    'customer.updated',
    async () => instance.server('PATCH', `/api/v1/customers/${await newCustomer()}`, { firstName: 'Ada' }),
  ],
  'GET /api/v1/customers/:customerId/export': [
    'customer.exported',
    async () => instance.server('GET', `/api/v1/customers/${await newCustomer()}/export`),
  ],
  'POST /api/v1/customers/:customerId/disable': [
    'customer.disabled',
    async () => instance.server('POST', `/api/v1/customers/${await newCustomer()}/disable`),
  ],
  'POST /api/v1/customers/:customerId/enable': [
    'customer.enabled',
    async () => {
      const path = `/api/v1/customers/${await newCustomer()}`;
      await instance.server('POST', `${path}/disable`);
      return instance.server('POST', `${path}/enable`);
    },
  ],
  'POST /api/v1/customers/:customerId/unlock': [
    'customer.unlocked',
    async () => instance.server('POST', `/api/v1/customers/${await newCustomer()}/unlock`),
  ],
  'DELETE /api/v1/customers/:customerId': [
    'customer.deleted',
    async () => instance.server('DELETE', `/api/v1/customers/${await newCustomer()}`),
  ],
  'DELETE /api/v1/customers/:customerId/sessions': [
    'customer.sessions_revoked',
    async () => instance.server('DELETE', `/api/v1/customers/${(await newSession()).customerId}/sessions`),
  ],
  'DELETE /api/v1/customers/:customerId/sessions/:sessionId': [
    'customer.sessions_revoked',
    async () => {
      const { customerId, sessionId } = await newSession();
      return instance.server('DELETE', `/api/v1/customers/${customerId}/sessions/${sessionId}`);
    },
  ],
  'POST /api/v1/organizations': [
    'organization.created',
    () => instance.server('POST', '/api/v1/organizations', { name: 'Shop', slug: 'a-shop' }),
  ],
  'PATCH /api/v1/organizations/:organizationId': [
    'organization.updated',
    async () =>
      instance.server('PATCH', `/api/v1/organizations/${await newOrganization()}`, { name: 'Other' }),
  ],
  'POST /api/v1/projects': [
    'project.created',
    () => instance.server('POST', '/api/v1/projects', { name: 'Shop' }),
  ],
  'PATCH /api/v1/projects/:projectId': [
    'project.updated',
    async () => instance.server('PATCH', `/api/v1/projects/${await newProject()}`, { name: 'Other' }),
  ],
  'GET /api/v1/projects/:projectId/export': [
    'project.exported',
    async () => instance.server('GET', `/api/v1/projects/${await newProject()}/export`),
  ],
  'POST /api/v1/projects/:projectId/archive': [
    'project.archived',
    async () => instance.server('POST', `/api/v1/projects/${await newProject()}/archive`),
  ],
  'POST /api/v1/projects/:projectId/api-keys': [
    'api_key.created',
    async () =>
      instance.server('POST', `/api/v1/projects/${await newProject()}/api-keys`, { name: 'Service' }),
  ],
  'POST /api/v1/projects/:projectId/api-keys/:keyId/rotate': [
    'api_key.rotated',
    async () => instance.server('POST', `${await newKey()}/rotate`),
  ],
  'DELETE /api/v1/projects/:projectId/api-keys/:keyId': [
    'api_key.revoked',
    async () => instance.server('DELETE', await newKey()),
  ],
  'POST /v1/webhooks/endpoints': [
    'webhook_endpoint.created',
    () => instance.server('POST', '/v1/webhooks/endpoints', { url: 'http://127.0.0.1:9/' }),
  ],
  'PATCH /v1/webhooks/endpoints/:endpointId': [
    'webhook_endpoint.updated',
    async () => instance.server('PATCH', `/v1/webhooks/endpoints/${await newEndpoint()}`, { events: ['*'] }),
  ],
  'POST /v1/webhooks/endpoints/:endpointId/disable': [
    'webhook_endpoint.disabled',
    async () => instance.server('POST', `/v1/webhooks/endpoints/${await newEndpoint()}/disable`),
  ],
  'POST /v1/webhooks/endpoints/:endpointId/enable': [
    'webhook_endpoint.enabled',
    async () => {
      const path = `/v1/webhooks/endpoints/${await newEndpoint()}`;
      await instance.server('POST', `${path}/disable`);
      return instance.server('POST', `${path}/enable`);
    },
  ],
  'POST /v1/webhooks/endpoints/:endpointId/rotate-secret': [
    'webhook_endpoint.secret_rotated',
    async () => instance.server('POST', `/v1/webhooks/endpoints/${await newEndpoint()}/rotate-secret`),
  ],
  'POST /v1/webhooks/endpoints/:endpointId/test': [
    'webhook_endpoint.tested',
    async () => instance.server('POST', `/v1/webhooks/endpoints/${await newEndpoint()}/test`),
  ],
  'DELETE /v1/webhooks/endpoints/:endpointId': [
    'webhook_endpoint.deleted',
    async () => instance.server('DELETE', `/v1/webhooks/endpoints/${await newEndpoint()}`),
  ],
  'POST /v1/webhooks/endpoints/:endpointId/recover': [
    'webhook_endpoint.recovered',
    async () =>
      instance.server('POST', `/v1/webhooks/endpoints/${await newEndpoint()}/recover`, {
        since: new Date(Date.now() - 1_000).toISOString(),
      }),
  ],
  'POST /v1/webhooks/deliveries/:deliveryId/discard': [
    'webhook_delivery.discarded',
    async () => {
      const id = await doneDelivery();
      await instance.sql(`UPDATE deliveries SET state = 'failed' WHERE id = $1`, [id.slice('dlv_'.length)]);
      return instance.server('POST', `/v1/webhooks/deliveries/${id}/discard`, { reason: 'not wanted' });
    },
  ],
  'POST /v1/webhooks/redeliveries': [
    'webhook_redelivery.planned',
    () => instance.server('POST', '/v1/webhooks/redeliveries', { filter: {} }),
  ],
  'POST /v1/webhooks/redeliveries/:redeliveryId/start': [
    'webhook_redelivery.started',
    async () => instance.server('POST', `${await newRedelivery()}/start`, { reason: 'mended' }),
  ],
  'POST /v1/webhooks/redeliveries/:redeliveryId/cancel': [
    'webhook_redelivery.cancelled',
    async () => instance.server('POST', `${await newRedelivery()}/cancel`),
  ],
  'POST /v1/webhooks/deliveries/:deliveryId/redeliver': [
    'webhook_delivery.redelivered',
    async () => instance.server('POST', `/v1/webhooks/deliveries/${await doneDelivery()}/redeliver`),
  ],
};

/** Somebody to whom an admin does something. */
const other = async (): Promise<OperatorClient> => insertOperator(instance, 'viewer');
/** Somebody who is signed in here and half way in somewhere else. */
async function openTwice(): Promise<OperatorClient> {
  const somebody = await other();
  const { password } = instance.credentials.operator;
  await new OperatorClient(instance).call('POST', '/session', { email: somebody.operator.email, password });
  return somebody;
}
const toOther = async (method: string, path = '', body?: unknown): Promise<Answer> => {
  const { operator } = await other();
  return admin.call(method, `/operators/${operator.id}${path}`, body);
};

/** Proven by operator-health.dedicated.spec.ts: it needs a mail server. */
const TEST_MAIL = 'POST /operator/v1/health/test-mail';

/** The same of what only operators can do. */
const operatorChanges: Changes = {
  'POST /operator/v1/customers/:customerId/resend-verification': [
    'customer.verification_sent',
    async () => admin.call('POST', `/customers/${await newCustomer()}/resend-verification`),
  ],
  'POST /operator/v1/customers/:customerId/reset-password': [
    'customer.password_reset_sent',
    async () => admin.call('POST', `/customers/${await newCustomer()}/reset-password`),
  ],
  'POST /operator/v1/customers/:customerId/resend-invitation': [
    'customer.invitation_sent',
    async () => admin.call('POST', `/customers/${await newCustomer()}/resend-invitation`),
  ],
  'POST /operator/v1/webhooks/redeliveries': [
    'webhook_redelivery.planned',
    () => admin.call('POST', '/webhooks/redeliveries', { filter: {} }),
  ],
  'POST /operator/v1/operators': [
    'operator.invited',
    () => admin.call('POST', '/operators', { email: `${randomUUID()}@example.com`, role: 'viewer' }),
  ],
  'PATCH /operator/v1/operators/:operatorId': [
    'operator.updated',
    () => toOther('PATCH', '', { role: 'operator' }),
  ],
  'POST /operator/v1/operators/:operatorId/disable': ['operator.disabled', () => toOther('POST', '/disable')],
  'POST /operator/v1/operators/:operatorId/enable': [
    'operator.enabled',
    async () => {
      const path = `/operators/${(await other()).operator.id}`;
      await admin.call('POST', `${path}/disable`);
      return admin.call('POST', `${path}/enable`);
    },
  ],
  'POST /operator/v1/operators/:operatorId/reset-second-factor': [
    'operator.second_factor_reset',
    async () => {
      const { operator } = await inviteOperator(admin, 'viewer');
      return admin.call('POST', `/operators/${operator.id}/reset-second-factor`);
    },
  ],
  'POST /operator/v1/operators/:operatorId/invite-again': [
    'operator.invited',
    () => toOther('POST', '/invite-again'),
  ],
  'DELETE /operator/v1/operators/:operatorId/sessions': [
    'operator.sessions_revoked',
    () => toOther('DELETE', '/sessions'),
  ],
  'DELETE /operator/v1/session/sessions': [
    'operator.sessions_revoked',
    async () => (await openTwice()).call('DELETE', '/session/sessions'),
  ],
  'DELETE /operator/v1/session/sessions/:sessionId': [
    'operator.sessions_revoked',
    async () => {
      const somebody = await openTwice();
      const [newest] = (await somebody.call('GET', '/session/sessions')).body.data;
      return somebody.call('DELETE', `/session/sessions/${newest.id}`);
    },
  ],
  'POST /operator/v1/session/password': [
    'operator.password_changed',
    async () => {
      const { password } = instance.credentials.operator;
      const body = { currentPassword: password, newPassword: 'an unusual long phrase' };
      return (await insertOperator(instance)).call('POST', '/session/password', body);
    },
  ],
  'POST /operator/v1/session/recovery-codes': [
    'operator.recovery_codes_renewed',
    async () => {
      const somebody = await inviteOperator(admin, 'viewer');
      return somebody.call('POST', '/session/recovery-codes', { code: somebody.recoveryCodes[0] });
    },
  ],
};

/** Makes every change. @returns those that do not succeed, or leave anything but one entry by this actor */
async function unaudited(
  all: Changes,
  read: (query: string) => Promise<Answer>,
  actor: Record<string, unknown>,
): Promise<unknown[]> {
  const faults: unknown[] = [];
  for (const [route, [action, make]] of Object.entries(all)) {
    const { status, headers, body } = await make();
    const requestId = headers.get('x-request-id')!;
    const entries = (await read(`requestId=${requestId}`)).body.data as Record<string, unknown>[];
    const expected = { action, ...actor, requestId };
    const found = entries.map((entry) =>
      Object.fromEntries(Object.keys(expected).map((name) => [name, entry[name]])),
    );
    if (![200, 201, 202, 204].includes(status) || !isDeepStrictEqual(found, [expected]))
      faults.push({ route, status, body, found, expected });
  }
  return faults;
}

describe('the audit log', () => {
  it('is watched for every route by which a secret key changes something', () => {
    const routes = changingRoutes('secret-key');
    expect(routes.length).toBeGreaterThan(20);
    expect(Object.keys(changes).sort()).toEqual(routes.sort());
  });

  it('holds one entry of each change by a secret key', async () => {
    const [key] = await instance.sql('SELECT id FROM api_keys WHERE key_hash = $1', [
      createHash('sha256').update(instance.credentials.secretKey).digest(),
    ]);
    const read = (query: string) => instance.server('GET', `/api/v1/audit-log?${query}`);
    expect(await unaudited(changes, read, { actorType: 'key', actorId: key!['id'] })).toEqual([]);
  });

  it('is watched for every route by which only an operator changes something', () => {
    expect([...Object.keys(operatorChanges), TEST_MAIL].sort()).toEqual(changingRoutes('operator').sort());
  });

  it('holds one entry of each change by an operator', async () => {
    const read = (query: string) => admin.call('GET', `/audit-log?${query}`);
    expect(await unaudited(operatorChanges, read, { actorType: 'operator' })).toEqual([]);
  });

  it('says nothing of a request that changes nothing', async () => {
    const startedTwice = async (): Promise<Answer> => {
      const [path, body] = [await newRedelivery(), { reason: 'mended' }];
      await instance.sql(`UPDATE redelivery_batches SET waiting = 1 WHERE id = $1`, [path.slice(-36)]);
      await instance.server('POST', `${path}/start`, body);
      return instance.server('POST', `${path}/start`, body);
    };
    const id = await newCustomer();
    await instance.server('POST', `/api/v1/customers/${id}/disable`);
    for (const answer of [
      await instance.server('POST', `/api/v1/customers/${id}/disable`),
      await instance.server('DELETE', `/api/v1/customers/${id}/sessions`),
      await instance.server('POST', `/api/v1/customers/${randomUUID()}/disable`),
      await instance.server('POST', `/v1/webhooks/endpoints/${await newEndpoint()}/enable`),
      await startedTwice(),
      await instance.server('GET', `/api/v1/customers/${id}`),
    ]) {
      const requestId = answer.headers.get('x-request-id')!;
      const { body } = await instance.server('GET', `/api/v1/audit-log?requestId=${requestId}`);
      expect(body.data).toEqual([]);
    }
  });
});

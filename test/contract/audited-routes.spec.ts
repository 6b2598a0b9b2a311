import { createHash, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner } from '@nestjs/core';
import { routeCredential, type CallerKind } from '@gatehouse/auth';
import { publicModules } from '../../apps/api/src/api.module.js';
import { readsFromReplica } from '../../apps/api/src/http/replica-reads.interceptor.js';
import { operatorModules } from '../../apps/api/src/operator-modules.js';
import { eventually } from '../support/eventually.js';
import { newProvider } from '../support/identity-providers/provider-requests.js';
import { PASSWORD, TestInstance, type TestResponse } from '../support/test-instance.js';
import { listReplicaRoutes } from '../support/replica-reader.js';
import { insertTotpFactor } from '../support/customer-factors.js';
import { insertIdentity } from '../support/identity-providers/insert-provider.js';
import { insertSessions } from '../support/insert-sessions.js';
import { insertOperator, inviteOperator, OperatorClient } from '../support/operator-client.js';
import { Receiver } from '../support/receiver.js';

let instance: TestInstance;
let receiver: Receiver;
let admin: OperatorClient;
beforeAll(async () => {
  instance = await TestInstance.startShared();
  receiver = await Receiver.start();
  admin = await insertOperator(instance);
});
afterAll(async () => {
  await instance?.stop();
  await receiver?.stop();
});

type Handler = object | undefined;

/** Returns the controllers of the given modules and of their imports. */
function controllersOf(modules: Type[]): Type[] {
  const listed = (name: string, module: Type) => (Reflect.getMetadata(name, module) ?? []) as Type[];
  return modules.flatMap((module) => [
    ...listed('controllers', module),
    ...controllersOf(listed('imports', module)),
  ]);
}

function routePath(controller: Type, handler: object): string {
  const parts = [controller, handler].map((target) => Reflect.getMetadata(PATH_METADATA, target) as string);
  return `/${parts.join('/')}`.replace(/\/+$/, '');
}

/**
 * Returns the routes that accept a credential type and either change something or export all data of a customer or
 * project. Omits the routes that an operator controller inherits from a controller for keys.
 */
function changingRoutes(kind: CallerKind): string[] {
  const controllers = new Set(controllersOf([...publicModules, ...operatorModules]));
  return [...controllers].flatMap((controller) =>
    Object.values(Object.getOwnPropertyDescriptors(controller.prototype as object)).flatMap(({ value }) => {
      const handler = value as Handler;
      // A class-level credential also applies to the constructor, which is not a route handler.
      if (!handler || !Reflect.hasMetadata(METHOD_METADATA, handler)) return [];
      if (!routeCredential(controller, handler)?.kinds.includes(kind)) return [];
      const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
      const path = routePath(controller, handler);
      const changesNothing = method === 'GET' ? !path.endsWith('/export') : path.endsWith('/preview');
      return changesNothing ? [] : [`${method} ${path}`];
    }),
  );
}

const newEmail = (): string => `${randomUUID()}@example.com`;
/** Creates a resource with the secret key. @returns its id */
const create = async (path: string, body: object): Promise<string> => {
  const response = await instance.requestWithSecretKey('POST', path, body);
  return (response.body.data ?? response.body).id as string;
};
const newCustomer = (): Promise<string> => create('/api/v1/customers', { email: newEmail() });
const newEndpoint = async (): Promise<string> => (await instance.createEndpoint('http://127.0.0.1:9/')).id;
const newRedelivery = (): Promise<string> => create('/v1/webhooks/redeliveries', { filter: {} });

/** Functions that create the resources for path parameters, keyed by the first parameter. */
const parameters: Record<string, () => Promise<Record<string, string>>> = {
  customerId: async () => {
    const customerId = await newCustomer();
    const [sessionId] = await insertSessions(instance, customerId, 1);
    const identityId = await insertIdentity(instance, customerId);
    const factorId = await insertTotpFactor(instance, customerId);
    return { customerId, sessionId: sessionId!, factorId, identityId };
  },
  organizationId: async () => ({
    organizationId: await create('/api/v1/organizations', {
      name: 'Shop',
      slug: `shop-${randomUUID().slice(0, 8)}`,
    }),
  }),
  projectId: async () => {
    const projectId = await create('/api/v1/projects', { name: `Shop ${randomUUID()}` });
    const keyId = await create(`/api/v1/projects/${projectId}/api-keys`, { name: 'Service' });
    const provider = newProvider({ issuer: 'http://127.0.0.1:9', domains: ['acme.example'] });
    const providerId = await create(`/api/v1/projects/${projectId}/identity-providers`, provider);
    const domain = 'acme.example';
    return { projectId, keyId, providerId, domain, kind: 'password-changed', language: 'fr' };
  },
  endpointId: async () => ({ endpointId: await newEndpoint() }),
  redeliveryId: async () => ({ redeliveryId: await newRedelivery() }),
  /** Creates a finished delivery. */
  deliveryId: async () => {
    const { id } = await instance.createEndpoint(receiver.url, ['customer.created']);
    await newCustomer();
    const attempt = await eventually(
      'a delivery',
      async () => (await instance.listAttempts({ endpoint_id: id }))[0],
    );
    return { deliveryId: attempt['delivery_id'] as string };
  },
  operatorId: async () => ({ operatorId: (await inviteOperator(admin, 'viewer')).operator.id }),
};

const send = (method: string, path: string, body?: unknown): Promise<TestResponse> =>
  path.startsWith('/operator/v1')
    ? admin.request(method, path.slice('/operator/v1'.length), body)
    : instance.requestWithSecretKey(method, path, body);

interface Change {
  route: string;
  /** The action that the audit log records for it. */
  action: string;
  send: () => Promise<TestResponse>;
}

/**
 * Returns a change that requests `route` with newly created resources in its path. @param before prepares the resource
 */
const change = (
  route: string,
  action: string,
  body?: unknown,
  before?: (path: string) => Promise<unknown>,
): Change => ({
  route,
  action,
  send: async () => {
    const [method, template] = route.split(' ') as [string, string];
    const [, first] = /:(\w+)/.exec(template) ?? [];
    const values = first ? await parameters[first]!() : {};
    const path = template.replace(/:(\w+)/g, (_, name: string) => values[name]!);
    await before?.(path);
    return send(method, path, body);
  },
});
const disable = (path: string) => send('POST', path.replace(/enable$/, 'disable'));
const failDelivery = (path: string) =>
  instance.sql(`UPDATE deliveries SET state = 'failed' WHERE id = $1`, [/dlv_([^/]+)/.exec(path)![1]]);

const [customers, projects, webhooks] = ['/api/v1/customers', '/api/v1/projects', '/v1/webhooks'];
const endpoints = `${webhooks}/endpoints`;
const providers = `${projects}/:projectId/identity-providers`;
const mailTemplate = { subject: 'Bonjour', heading: 'Bonjour', paragraphs: ['Bonjour'], closing: [] };
const changes: Change[] = [
  change('POST /api/v1/auth/register', 'customer.created', { email: newEmail(), password: PASSWORD }),
  change('POST /api/v1/billing/portal', 'organization.billing_portal_opened', {
    returnUrl: 'https://a.example.com/',
  }),
  change(`POST ${customers}`, 'customer.created', { email: newEmail() }),
  change(`POST ${customers}/import`, 'import.started', { customers: [{ email: newEmail() }] }),
  change(`PATCH ${customers}/:customerId`, 'customer.updated', { firstName: 'Ada' }),
  change(`GET ${customers}/:customerId/export`, 'customer.exported'),
  change(`POST ${customers}/:customerId/disable`, 'customer.disabled'),
  change(`POST ${customers}/:customerId/enable`, 'customer.enabled', undefined, disable),
  change(`POST ${customers}/:customerId/unlock`, 'customer.unlocked'),
  change(`POST ${customers}/:customerId/invite`, 'customer.invitation_sent'),
  change(`POST ${customers}/:customerId/sign-in-tokens`, 'customer.sign_in_token_created', {
    reason: 'test',
  }),
  change(`POST ${customers}/:customerId/require-reauthentication`, 'customer.reauthentication_required'),
  change(`POST ${customers}/:customerId/factors/:factorId/remove`, 'customer.factor_removed', {
    reason: 'test',
  }),
  change(`POST ${customers}/:customerId/identities/:identityId/remove`, 'customer.identity_unlinked', {
    reason: 'test',
  }),
  change(`DELETE ${customers}/:customerId`, 'customer.deleted'),
  change(`DELETE ${customers}/:customerId/sessions`, 'customer.sessions_revoked'),
  change(`DELETE ${customers}/:customerId/sessions/:sessionId`, 'customer.sessions_revoked'),
  change('POST /api/v1/organizations', 'organization.created', { name: 'Shop', slug: 'a-shop' }),
  change('PATCH /api/v1/organizations/:organizationId', 'organization.updated', { name: 'Other' }),
  change(`POST ${projects}`, 'project.created', { name: 'Shop' }),
  change(`PATCH ${projects}/:projectId`, 'project.updated', { name: 'Other' }),
  change(`GET ${projects}/:projectId/export`, 'project.exported'),
  change(`POST ${projects}/:projectId/archive`, 'project.archived'),
  change(`POST ${projects}/:projectId/api-keys`, 'api_key.created', { name: 'Another' }),
  change(`POST ${projects}/:projectId/api-keys/:keyId/rotate`, 'api_key.rotated'),
  change(`DELETE ${projects}/:projectId/api-keys/:keyId`, 'api_key.revoked'),
  change(
    `PATCH ${projects}/:projectId/mail-templates/:kind/:language`,
    'project.mail_template_updated',
    mailTemplate,
  ),
  change(
    `DELETE ${projects}/:projectId/mail-templates/:kind/:language`,
    'project.mail_template_deleted',
    undefined,
    (path) => send('PATCH', path, mailTemplate),
  ),
  change(`POST ${providers}`, 'identity_provider.created', newProvider()),
  change(`PATCH ${providers}/:providerId`, 'identity_provider.updated', { name: 'Other' }),
  change(`POST ${providers}/:providerId/test`, 'identity_provider.tested'),
  change(`POST ${providers}/:providerId/domains/:domain/verify`, 'identity_provider.domain_checked'),
  change(`DELETE ${providers}/:providerId`, 'identity_provider.deleted'),
  change(`POST ${endpoints}`, 'webhook_endpoint.created', { url: 'http://127.0.0.1:9/' }),
  change(`PATCH ${endpoints}/:endpointId`, 'webhook_endpoint.updated', { events: ['*'] }),
  change(`POST ${endpoints}/:endpointId/disable`, 'webhook_endpoint.disabled'),
  change(`POST ${endpoints}/:endpointId/enable`, 'webhook_endpoint.enabled', undefined, disable),
  change(`POST ${endpoints}/:endpointId/rotate-secret`, 'webhook_endpoint.secret_rotated'),
  change(`POST ${endpoints}/:endpointId/test`, 'webhook_endpoint.tested'),
  change(`DELETE ${endpoints}/:endpointId`, 'webhook_endpoint.deleted'),
  change(`POST ${endpoints}/:endpointId/recover`, 'webhook_endpoint.recovered', {
    since: new Date().toISOString(),
  }),
  change(
    `POST ${webhooks}/deliveries/:deliveryId/discard`,
    'webhook_delivery.discarded',
    { reason: 'x' },
    failDelivery,
  ),
  change(`POST ${webhooks}/deliveries/:deliveryId/redeliver`, 'webhook_delivery.redelivered'),
  change(`POST ${webhooks}/redeliveries`, 'webhook_redelivery.planned', { filter: {} }),
  change(`POST ${webhooks}/redeliveries/:redeliveryId/start`, 'webhook_redelivery.started', {
    reason: 'fixed',
  }),
  change(`POST ${webhooks}/redeliveries/:redeliveryId/cancel`, 'webhook_redelivery.cancelled'),
];

/** Routes that record only events. Their audit log entries would outnumber all others (ADR 0015, ADR 0040). */
const withoutEntry = [change('POST /v1/events', '', { type: 'app.sample', data: {} })];

/** Tested in operator-mail-server.dedicated.spec.ts, because they need a mail server. */
const testMails = [
  'POST /operator/v1/health/test-mail',
  'POST /operator/v1/projects/:projectId/mail-templates/:kind/:language/test',
];

/** These change only how the console shows data to the operator (ADR 0063). */
const preferences = [
  'PATCH /operator/v1/session/preferences',
  'POST /operator/v1/session/views',
  'PATCH /operator/v1/session/views/:viewId',
  'DELETE /operator/v1/session/views/:viewId',
];

/** These only start a reauthentication with an OpenID Provider or a passkey. Its completion is recorded. */
const reauthenticationStarts = [
  'POST /operator/v1/session/oidc/reauthenticate',
  'POST /operator/v1/session/passkeys/options',
  'POST /operator/v1/session/reauthenticate/passkey/options',
];

/** Tested in operator-sign-in.browser.spec.ts, because passkeys are bound to a host name. */
const passkeys = [
  'DELETE /operator/v1/session/passkeys/:passkeyId',
  'PATCH /operator/v1/session/passkeys/:passkeyId',
  'POST /operator/v1/session/passkeys',
  'POST /operator/v1/session/reauthenticate/passkey',
];

/** Inserts an operator with a second session that is waiting for its second factor. */
async function openSecondSession(): Promise<OperatorClient> {
  const client = await insertOperator(instance, 'viewer');
  const { password } = instance.credentials.operator;
  await new OperatorClient(instance).request('POST', '/session', { email: client.operator.email, password });
  return client;
}
const [operators, session] = ['/operator/v1/operators', '/operator/v1/session'];
const operatorChanges: Change[] = [
  change('POST /operator/v1/customers/:customerId/resend-verification', 'customer.verification_sent'),
  change('POST /operator/v1/customers/:customerId/reset-password', 'customer.password_reset_sent'),
  change('POST /operator/v1/customers/:customerId/resend-invitation', 'customer.invitation_sent'),
  change('POST /operator/v1/webhooks/deliveries/:deliveryId/replay', 'webhook_delivery.replayed', {
    url: 'http://127.0.0.1:9/',
    secret: `whsec_${'A'.repeat(32)}`,
  }),
  change('POST /operator/v1/webhooks/redeliveries', 'webhook_redelivery.planned', { filter: {} }),
  change('GET /operator/v1/customers/export', 'operator.customers_exported'),
  change('POST /operator/v1/customers/:customerId/disable', 'customer.disabled', { reason: 'test' }),
  change('POST /operator/v1/customers/:customerId/enable', 'customer.enabled', undefined, disable),
  change('POST /operator/v1/health/test-alert', 'alert.tested', { channel: 'webhook' }),
  change(`POST ${operators}`, 'operator.invited', { email: newEmail(), role: 'viewer' }),
  change(`PATCH ${operators}/:operatorId`, 'operator.updated', { role: 'operator' }),
  change(`POST ${operators}/:operatorId/disable`, 'operator.disabled'),
  change(`POST ${operators}/:operatorId/enable`, 'operator.enabled', undefined, disable),
  change(`POST ${operators}/:operatorId/reset-second-factor`, 'operator.second_factor_reset'),
  change(`POST ${operators}/:operatorId/invite-again`, 'operator.invited'),
  change(`DELETE ${operators}/:operatorId/sessions`, 'operator.sessions_revoked'),
  {
    route: `DELETE ${session}/sessions`,
    action: 'operator.sessions_revoked',
    send: async () => (await openSecondSession()).request('DELETE', '/session/sessions'),
  },
  {
    route: `DELETE ${session}/sessions/:sessionId`,
    action: 'operator.sessions_revoked',
    send: async () => {
      const client = await openSecondSession();
      const [newest] = (await client.request('GET', '/session/sessions')).body.data;
      return client.request('DELETE', `/session/sessions/${newest.id}`);
    },
  },
  {
    route: `POST ${session}/password`,
    action: 'operator.password_changed',
    send: async () => {
      const client = await inviteOperator(admin, 'viewer');
      const passwords = { currentPassword: client.password, newPassword: 'an unusual long phrase' };
      return client.request('POST', '/session/password', passwords);
    },
  },
  {
    route: `POST ${session}/enrollment/replace`,
    action: 'operator.reauthenticated',
    send: async () => {
      const client = await inviteOperator(admin, 'viewer');
      return client.request('POST', '/session/enrollment/replace', { code: client.recoveryCodes[0] });
    },
  },
  {
    route: `POST ${session}/reauthenticate`,
    action: 'operator.reauthenticated',
    send: async () => {
      const client = await inviteOperator(admin, 'viewer');
      return client.request('POST', '/session/reauthenticate', { code: client.recoveryCodes[0] });
    },
  },
  {
    route: `POST ${session}/recovery-codes`,
    action: 'operator.recovery_codes_renewed',
    send: async () => {
      const client = await inviteOperator(admin, 'viewer');
      return client.request('POST', '/session/recovery-codes', { code: client.recoveryCodes[0] });
    },
  },
];
const routesOf = (all: Change[]): string[] => all.map(({ route }) => route).sort();

/** Sends every change. @returns the changes that failed, or that did not create exactly one entry for the actor */
async function findUnaudited(
  all: Change[],
  read: (query: string) => Promise<TestResponse>,
  actor: Record<string, unknown>,
): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (const { route, action, send: sendChange } of all) {
    const { status, headers, body } = await sendChange();
    const requestId = headers.get('x-request-id')!;
    const entries = (await read(`requestId=${requestId}`)).body.data as Record<string, unknown>[];
    const expected = { action, ...actor, requestId };
    const found = entries.map((entry) =>
      Object.fromEntries(Object.keys(expected).map((name) => [name, entry[name]])),
    );
    if (![200, 201, 202, 204].includes(status) || !isDeepStrictEqual(found, [expected]))
      failures.push({ route, status, body, found, expected });
  }
  return failures;
}

describe('the list of routes that read from the replica', () => {
  it('matches docs/scaling.md', () => {
    const controllers = [...new Set(controllersOf([...publicModules, ...operatorModules]))];
    const paths = controllers.flatMap((controller) => {
      const prototype = controller.prototype as Record<string, object>;
      return new MetadataScanner()
        .getAllMethodNames(prototype)
        .map((name) => prototype[name])
        .flatMap((handler) => (handler && readsFromReplica(handler) ? [routePath(controller, handler)] : []));
    });
    expect(listReplicaRoutes()).toEqual(paths.sort());
  });
});

describe('the audit log', () => {
  it('contains one entry per change with a secret key, for every route that changes something', async () => {
    expect(routesOf([...changes, ...withoutEntry])).toEqual(changingRoutes('secret-key').sort());
    const [key] = await instance.sql('SELECT id FROM api_keys WHERE key_hash = $1', [
      createHash('sha256').update(instance.credentials.secretKey).digest(),
    ]);
    // No key has this scope by default.
    await instance.sql(`UPDATE api_keys SET scopes = scopes || '{customer:impersonate}' WHERE id = $1`, [
      key!['id'],
    ]);
    const read = (query: string) => instance.requestWithSecretKey('GET', `/api/v1/audit-log?${query}`);
    expect(await findUnaudited(changes, read, { actorType: 'key', actorId: key!['id'] })).toEqual([]);
  });

  it('contains one entry per change by an operator, for every operator-only route', async () => {
    expect(
      [
        ...routesOf(operatorChanges),
        ...testMails,
        ...preferences,
        ...reauthenticationStarts,
        ...passkeys,
      ].sort(),
    ).toEqual(changingRoutes('operator').sort());
    const read = (query: string) => admin.request('GET', `/audit-log?${query}`);
    expect(await findUnaudited(operatorChanges, read, { actorType: 'operator' })).toEqual([]);
  });

  it('contains no entry for a request that changes nothing or only sends events', async () => {
    const startTwice = async (): Promise<TestResponse> => {
      const id = await newRedelivery();
      const [path, body] = [`/v1/webhooks/redeliveries/${id}`, { reason: 'fixed' }];
      await instance.sql(`UPDATE redelivery_batches SET waiting = 1 WHERE id = $1`, [path.slice(-36)]);
      await instance.requestWithSecretKey('POST', `${path}/start`, body);
      return instance.requestWithSecretKey('POST', `${path}/start`, body);
    };
    const id = await newCustomer();
    await instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/disable`);
    for (const response of [
      await instance.requestWithSecretKey('POST', `/api/v1/customers/${id}/disable`),
      await instance.requestWithSecretKey('DELETE', `/api/v1/customers/${id}/sessions`),
      await instance.requestWithSecretKey('POST', `/api/v1/customers/${randomUUID()}/disable`),
      await instance.requestWithSecretKey('POST', `/v1/webhooks/endpoints/${await newEndpoint()}/enable`),
      await startTwice(),
      await withoutEntry[0]!.send(),
      await instance.requestWithSecretKey('GET', `/api/v1/customers/${id}`),
    ]) {
      const requestId = response.headers.get('x-request-id')!;
      const { body } = await instance.requestWithSecretKey('GET', `/api/v1/audit-log?requestId=${requestId}`);
      expect(body.data).toEqual([]);
    }
  });
});

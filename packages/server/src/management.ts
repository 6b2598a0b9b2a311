import type { components } from './openapi.js';
import { createCustomerExport } from './customer-export.js';
import { createCustomerImport } from './customer-import.js';
import { createEventFeed } from './event-feed.js';
import { createRoutes } from './routes.js';
import type { Transport } from './transport.js';
import type { CallOptions } from './typed-request.js';

type Schemas = components['schemas'];

/** Creates a custom event, or up to 100 at once. */
export interface CreateEvents {
  (event: Schemas['CustomEventRequest'], options?: CallOptions): Promise<Schemas['EventResponse']>;
  (events: Schemas['CustomEventRequest'][], options?: CallOptions): Promise<Schemas['EventResponse'][]>;
}

/** Returns the API's resources. */
export function createManagement(transport: Transport) {
  const routes = createRoutes(transport);
  const iterate = createEventFeed(transport);
  const exportCustomers = createCustomerExport(transport);
  const { customers, ...others } = customerResources(routes);
  const { events, ...webhooks } = webhookResources(routes);
  const { projects, ...organizations } = organizationResources(routes);
  return {
    ...others,
    customers: { ...customers, importLines: createCustomerImport(transport) },
    ...webhooks,
    ...organizations,
    projects: { ...projects, exportCustomers },
    events: { ...events, iterate },
  };
}

type Routes = ReturnType<typeof createRoutes>;

function customerResources({ list, get, post, act, patch, remove }: Routes) {
  return {
    customers: {
      list: list('/api/v1/customers'),
      get: get('/api/v1/customers/{customerId}'),
      create: post('/api/v1/customers'),
      update: patch('/api/v1/customers/{customerId}'),
      delete: remove('/api/v1/customers/{customerId}'),
      disable: act('/api/v1/customers/{customerId}/disable'),
      enable: act('/api/v1/customers/{customerId}/enable'),
      unlock: act('/api/v1/customers/{customerId}/unlock'),
      invite: act('/api/v1/customers/{customerId}/invite'),
      requireReauthentication: act('/api/v1/customers/{customerId}/require-reauthentication'),
      createSignInToken: post('/api/v1/customers/{customerId}/sign-in-tokens'),
      export: get('/api/v1/customers/{customerId}/export'),
      import: post('/api/v1/customers/import'),
      sessions: {
        list: list('/api/v1/customers/{customerId}/sessions'),
        revoke: remove('/api/v1/customers/{customerId}/sessions/{sessionId}'),
        revokeAll: remove('/api/v1/customers/{customerId}/sessions'),
      },
      factors: {
        list: get('/api/v1/customers/{customerId}/factors'),
        remove: post('/api/v1/customers/{customerId}/factors/{factorId}/remove'),
      },
      identities: {
        list: list('/api/v1/customers/{customerId}/identities'),
        remove: post('/api/v1/customers/{customerId}/identities/{identityId}/remove'),
      },
    },
    imports: { get: get('/api/v1/imports/{importId}') },
    mails: { list: list('/api/v1/mails') },
    auditLog: { list: list('/api/v1/audit-log') },
  };
}

function webhookResources({ list, get, post, act, patch, remove }: Routes) {
  return {
    webhookEndpoints: {
      list: list('/v1/webhooks/endpoints'),
      get: get('/v1/webhooks/endpoints/{endpointId}'),
      create: post('/v1/webhooks/endpoints'),
      update: patch('/v1/webhooks/endpoints/{endpointId}'),
      delete: remove('/v1/webhooks/endpoints/{endpointId}'),
      enable: act('/v1/webhooks/endpoints/{endpointId}/enable'),
      disable: act('/v1/webhooks/endpoints/{endpointId}/disable'),
      rotateSecret: act('/v1/webhooks/endpoints/{endpointId}/rotate-secret'),
      sendTest: act('/v1/webhooks/endpoints/{endpointId}/test'),
      recover: post('/v1/webhooks/endpoints/{endpointId}/recover'),
      getStats: get('/v1/webhooks/endpoints/{endpointId}/stats'),
    },
    eventTypes: { list: list('/v1/webhooks/event-types') },
    deliveries: {
      listAttempts: list('/v1/webhooks/deliveries'),
      get: get('/v1/webhooks/deliveries/{deliveryId}'),
      redeliver: post('/v1/webhooks/deliveries/{deliveryId}/redeliver'),
      discard: post('/v1/webhooks/deliveries/{deliveryId}/discard'),
    },
    deadLetters: { list: list('/v1/webhooks/dead-letters') },
    redeliveries: {
      list: list('/v1/webhooks/redeliveries'),
      get: get('/v1/webhooks/redeliveries/{redeliveryId}'),
      plan: post('/v1/webhooks/redeliveries'),
      start: post('/v1/webhooks/redeliveries/{redeliveryId}/start'),
      cancel: act('/v1/webhooks/redeliveries/{redeliveryId}/cancel'),
    },
    events: {
      list: list('/v1/events'),
      get: get('/v1/events/{eventId}'),
      create: post('/v1/events') as CreateEvents,
    },
  };
}

function organizationResources({ list, get, post, act, patch, remove }: Routes) {
  return {
    organizations: {
      list: list('/api/v1/organizations'),
      get: get('/api/v1/organizations/{organizationId}'),
      create: post('/api/v1/organizations'),
      update: patch('/api/v1/organizations/{organizationId}'),
    },
    projects: {
      list: list('/api/v1/projects'),
      get: get('/api/v1/projects/{projectId}'),
      create: post('/api/v1/projects'),
      update: patch('/api/v1/projects/{projectId}'),
      archive: act('/api/v1/projects/{projectId}/archive'),
    },
    mailTemplates: {
      list: list('/api/v1/projects/{projectId}/mail-templates'),
      get: get('/api/v1/projects/{projectId}/mail-templates/{kind}/{language}'),
      update: patch('/api/v1/projects/{projectId}/mail-templates/{kind}/{language}'),
      delete: remove('/api/v1/projects/{projectId}/mail-templates/{kind}/{language}'),
      preview: post('/api/v1/projects/{projectId}/mail-templates/{kind}/{language}/preview'),
    },
    apiKeys: {
      list: list('/api/v1/projects/{projectId}/api-keys'),
      get: get('/api/v1/projects/{projectId}/api-keys/{keyId}'),
      create: post('/api/v1/projects/{projectId}/api-keys'),
      rotate: post('/api/v1/projects/{projectId}/api-keys/{keyId}/rotate'),
      revoke: remove('/api/v1/projects/{projectId}/api-keys/{keyId}'),
    },
    identityProviders: {
      list: list('/api/v1/projects/{projectId}/identity-providers'),
      get: get('/api/v1/projects/{projectId}/identity-providers/{providerId}'),
      create: post('/api/v1/projects/{projectId}/identity-providers'),
      update: patch('/api/v1/projects/{projectId}/identity-providers/{providerId}'),
      delete: remove('/api/v1/projects/{projectId}/identity-providers/{providerId}'),
      test: act('/api/v1/projects/{projectId}/identity-providers/{providerId}/test'),
      verifyDomain: act(
        '/api/v1/projects/{projectId}/identity-providers/{providerId}/domains/{domain}/verify',
      ),
    },
  };
}

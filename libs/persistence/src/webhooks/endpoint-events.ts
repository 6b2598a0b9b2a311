import { endpointResource, publicId, type AttemptError, type WebhookEndpoint } from '@gatehouse/domain';
import type { NewEvent } from '../events/events.repository.js';

/** A delivery whose last attempt has failed. */
export interface DeadLetter {
  id: string;
  eventId: string;
  eventType: string;
  projectId: string | null;
  targetUrl: string;
  attempts: number;
  lastHttpStatus: number;
  lastError: AttemptError;
  createdAt: Date;
  finishedAt: Date;
}

/** What an event about an endpoint has of it: as narrow as the endpoint, so that no other tenant hears of it. */
const endpointEventFields = ({ organizationId, projectId }: WebhookEndpoint) => ({
  organizationId,
  projectId,
  customerId: null,
});

/** `webhook.endpoint_disabled`, as the api and the worker tell it. */
export const endpointDisabledEvent = (endpoint: WebhookEndpoint): NewEvent => ({
  ...endpointEventFields(endpoint),
  type: 'webhook.endpoint_disabled',
  data: { endpoint: endpointResource(endpoint) },
  excludedEndpointId: endpoint.id,
});

/** `webhook.test`, for this endpoint alone. */
export const endpointTestEvent = (endpoint: WebhookEndpoint): NewEvent => ({
  ...endpointEventFields(endpoint),
  type: 'webhook.test',
  data: { endpoint: endpointResource(endpoint) },
  onlyEndpointId: endpoint.id,
});

/** `webhook.dead_lettered`: neither what the delivery carried nor what the target answered. */
export const deadLetterEvent = (letter: DeadLetter, endpoint: WebhookEndpoint): NewEvent => ({
  ...endpointEventFields(endpoint),
  type: 'webhook.dead_lettered',
  data: {
    delivery: {
      id: publicId('delivery', letter.id),
      event_id: publicId('event', letter.eventId),
      event: letter.eventType,
      endpoint_id: publicId('endpoint', endpoint.id),
      project_id: letter.projectId,
      target_url: letter.targetUrl,
      state: 'failed',
      attempts: letter.attempts,
      last_http_status: letter.lastHttpStatus,
      last_error: letter.lastError,
      created_at: letter.createdAt.toISOString(),
      finished_at: letter.finishedAt.toISOString(),
    },
    endpoint: endpointResource(endpoint),
  },
  excludedEndpointId: endpoint.id,
});

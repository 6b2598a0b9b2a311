import { endpointResource, publicId, type AttemptError, type WebhookEndpoint } from '@gatehouse/domain';
import type { NewEvent } from '../events/events.repository.js';

/** A delivery that has failed permanently. */
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

/**
 * Returns the common fields for events about an endpoint. They contain the endpoint's own project, so that no other
 * tenant receives the event.
 */
const endpointEventFields = ({ organizationId, projectId }: WebhookEndpoint) => ({
  organizationId,
  projectId,
  customerId: null,
});

/** Creates a `webhook.endpoint_disabled` event. */
export const endpointDisabledEvent = (endpoint: WebhookEndpoint): NewEvent => ({
  ...endpointEventFields(endpoint),
  type: 'webhook.endpoint_disabled',
  data: { endpoint: endpointResource(endpoint) },
  excludedEndpointId: endpoint.id,
});

/** Creates a `webhook.test` event, which only this endpoint receives. */
export const endpointTestEvent = (endpoint: WebhookEndpoint): NewEvent => ({
  ...endpointEventFields(endpoint),
  type: 'webhook.test',
  data: { endpoint: endpointResource(endpoint) },
  onlyEndpointId: endpoint.id,
});

/** Creates a `webhook.dead_lettered` event, without the delivery's payload and the receiver's response. */
export const deadLetterEvent = (deadLetter: DeadLetter, endpoint: WebhookEndpoint): NewEvent => ({
  ...endpointEventFields(endpoint),
  type: 'webhook.dead_lettered',
  data: {
    delivery: {
      id: publicId('delivery', deadLetter.id),
      event_id: publicId('event', deadLetter.eventId),
      event: deadLetter.eventType,
      endpoint_id: publicId('endpoint', endpoint.id),
      project_id: deadLetter.projectId,
      target_url: deadLetter.targetUrl,
      state: 'failed',
      attempts: deadLetter.attempts,
      last_http_status: deadLetter.lastHttpStatus,
      last_error: deadLetter.lastError,
      created_at: deadLetter.createdAt.toISOString(),
      finished_at: deadLetter.finishedAt.toISOString(),
    },
    endpoint: endpointResource(endpoint),
  },
  excludedEndpointId: endpoint.id,
});

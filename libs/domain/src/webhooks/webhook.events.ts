import { exampleTimes } from '../customers/customer-examples.js';
import { declareEvents, ref } from '../events/event-declaration.js';
import { exampleId, exampleProjectId, exampleTime } from '../events/event-example.js';
import { publicId } from '../values/ids.js';
import { nullable, object, openEnum, text, strings, time, url, uuid } from '../values/json-schema.js';
import { attemptErrors } from './delivery.js';

export const endpointResources = {
  endpoint: object(
    {
      id: { ...text, pattern: '^ep_' },
      level: openEnum(
        'Level of the endpoint: it receives the events of one project, or of all projects of the organization',
        'project',
        'organization',
      ),
      project_id: nullable(uuid),
      name: { ...text, description: 'Name of the endpoint. Default: the host of its URL' },
      url,
      description: nullable(text),
      events: strings,
      status: openEnum('Status of the endpoint', 'enabled', 'disabled'),
      disabled_reason: {
        ...openEnum('Reason why the endpoint is disabled', 'manual', 'failing'),
        type: ['string', 'null'],
      },
      headers: {
        type: 'object',
        additionalProperties: text,
        description: 'Custom headers with hidden values',
      },
      created_at: time,
      updated_at: time,
    },
    'A webhook endpoint, without its secret',
  ),
};

/** A delivery whose attempts have all failed, without its payload and the receiver's responses. */
const delivery = object(
  {
    id: { ...text, pattern: '^dlv_' },
    event_id: { ...text, pattern: '^evt_' },
    event: text,
    endpoint_id: { ...text, pattern: '^ep_' },
    project_id: nullable(uuid),
    target_url: url,
    state: openEnum('Final state of the delivery', 'failed'),
    attempts: { type: 'integer', description: 'Number of attempts' },
    last_http_status: {
      type: 'integer',
      description: 'HTTP status of the last attempt. 0: no response was received',
    },
    last_error: openEnum('Error of the last attempt', ...attemptErrors),
    created_at: time,
    finished_at: time,
  },
  'A delivery that has become a dead letter',
);

const endpoint = ref('endpoint');

const createdAt = exampleTime('08:50:00.620');
const endpointExample = {
  id: publicId('endpoint', exampleId(createdAt, '7be2039fd415')),
  level: 'project',
  project_id: exampleProjectId,
  name: 'orders.example.com',
  url: 'https://orders.example.com/webhooks',
  description: 'Order service',
  events: ['customer.*'],
  status: 'enabled',
  disabled_reason: null,
  headers: {},
  created_at: createdAt,
  updated_at: createdAt,
};
const disabledAt = '2026-03-05T09:14:10.882Z';
const { signedUp } = exampleTimes;
const finishedAt = exampleTime('09:53:12.064');
const deliveryExample = {
  id: publicId('delivery', exampleId(signedUp, '2c9e70a4d8b1')),
  event_id: publicId('event', exampleId(signedUp, '94d6e1f03b00')),
  event: 'customer.created',
  endpoint_id: endpointExample.id,
  project_id: exampleProjectId,
  target_url: endpointExample.url,
  state: 'failed',
  attempts: 5,
  last_http_status: 503,
  last_error: 'http_error',
  created_at: signedUp,
  finished_at: finishedAt,
};

export const webhookEvents = declareEvents({
  'webhook.endpoint_disabled': {
    cause:
      'an endpoint was disabled, through the API or because all attempts had failed for three days. Not delivered to the endpoint itself',
    named: true,
    data: { endpoint },
    example: [
      disabledAt,
      {
        endpoint: {
          ...endpointExample,
          status: 'disabled',
          disabled_reason: 'failing',
          updated_at: disabledAt,
        },
      },
    ],
  },
  'webhook.dead_lettered': {
    cause:
      'the last attempt of a delivery failed. Not delivered to the endpoint of that delivery, and not emitted for deliveries of webhook.* events',
    named: true,
    data: { delivery, endpoint },
    example: [finishedAt, { delivery: deliveryExample, endpoint: endpointExample }],
  },
  'webhook.test': {
    cause: 'a test event was requested for an endpoint. Delivered to this endpoint only',
    named: true,
    data: { endpoint },
    example: [exampleTime('08:51:20.337'), { endpoint: endpointExample }],
  },
});

export const webhookActions = [
  'webhook_endpoint.created',
  'webhook_endpoint.updated',
  'webhook_endpoint.enabled',
  'webhook_endpoint.disabled',
  'webhook_endpoint.secret_rotated',
  'webhook_endpoint.tested',
  'webhook_endpoint.deleted',
  'webhook_endpoint.recovered',
  'webhook_delivery.redelivered',
  'webhook_delivery.discarded',
  'webhook_delivery.replayed',
  'webhook_redelivery.planned',
  'webhook_redelivery.started',
  'webhook_redelivery.cancelled',
] as const;

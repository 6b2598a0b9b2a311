import { apiKeyResources } from '../api-keys/api-key.events.js';
import { customerResources } from '../customers/customer.events.js';
import { ref } from '../events/event-declaration.js';
import { factorResources } from '../factors/factor.events.js';
import { identityResources } from '../identity-providers/identity-provider.events.js';
import {
  jsonObject,
  object,
  text,
  time,
  uuid,
  type JsonSchema,
  type Members,
} from '../values/json-schema.js';
import { organizationResources } from '../organizations/organization.events.js';
import { passkeyResources } from '../passkeys/passkey.events.js';
import { projectResources } from '../projects/project.events.js';
import { sessionResources } from '../sessions/session.events.js';
import {
  ALL_CUSTOM_EVENTS,
  customEventTypePattern,
  MAX_CUSTOM_EVENT_TYPE_LENGTH,
} from './custom-event-types.js';
import { customEventExample, eventExamples } from './event-examples.js';
import { eventTypes, isEndpointEvent, isOrganizationEvent, type EventType } from './event-types.js';
import { endpointResources } from '../webhooks/webhook.events.js';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** The resource schemas in events, by noun. A resource is identical to a GET response with a secret key. */
export const eventResources = {
  ...customerResources,
  ...sessionResources,
  ...factorResources,
  ...passkeyResources,
  ...identityResources,
  ...projectResources,
  ...organizationResources,
  ...apiKeyResources,
  ...endpointResources,
} satisfies Members;

const types = Object.keys(eventTypes) as EventType[];

function projectIdSchema(type: EventType): JsonSchema {
  if (isOrganizationEvent(type))
    return { type: 'null', description: 'The event does not belong to a project' };
  if (!isEndpointEvent(type)) return uuid;
  return { ...uuid, type: ['string', 'null'], description: 'null for an endpoint at organization level' };
}

/** Returns a complete event body's schema. */
const envelope = (
  type: JsonSchema,
  project_id: JsonSchema,
  data: JsonSchema,
  description: string,
): JsonSchema =>
  object(
    {
      id: {
        ...text,
        pattern: '^evt_',
        description: 'Id of the event. The same in every attempt and redelivery',
      },
      type,
      created_at: time,
      project_id,
      organization_id: uuid,
      data,
    },
    description,
  );

/** Returns the schema of one event type's body. Its `$ref`s refer to the resources. */
const bodySchema = (type: EventType): JsonSchema => ({
  ...envelope(
    { const: type },
    projectIdSchema(type),
    object(eventTypes[type].data),
    `Emitted when ${eventTypes[type].cause}`,
  ),
  title: type,
});

/** A custom event's cause, as in `EventDeclaration.cause`. */
export const customEventCause = 'your server sent a custom event with `POST /v1/events`';

const customBodySchema: JsonSchema = {
  ...envelope(
    { ...text, pattern: customEventTypePattern.source, maxLength: MAX_CUSTOM_EVENT_TYPE_LENGTH },
    uuid,
    { ...jsonObject, description: 'The `data` that your server sent' },
    `Emitted when ${customEventCause}`,
  ),
  title: ALL_CUSTOM_EVENTS,
};

/** The self-contained JSON Schema for custom event bodies. */
export const customEventSchema: JsonSchema = { $schema: DIALECT, ...customBodySchema };

/** Returns the self-contained JSON Schema of one event type's body. */
export function eventSchema(type: EventType): JsonSchema {
  const refs = Object.values(eventTypes[type].data).map(({ $ref }) => $ref);
  const used = Object.entries(eventResources).filter(([name]) => refs.includes(ref(name)['$ref']));
  return { $schema: DIALECT, ...bodySchema(type), $defs: Object.fromEntries(used) };
}

/** The JSON Schema for all event bodies, which are distinguished by `type`, with an example for each type. */
export const eventsSchema: JsonSchema = {
  $schema: DIALECT,
  title: 'Event',
  description: 'The body of a webhook. Later versions may add types and members, but will not remove any',
  oneOf: [...types, ALL_CUSTOM_EVENTS].map(ref),
  $defs: {
    ...eventResources,
    ...Object.fromEntries(
      types.map((type) => [type, { ...bodySchema(type), examples: [eventExamples[type]] }]),
    ),
    [ALL_CUSTOM_EVENTS]: { ...customBodySchema, examples: [customEventExample] },
  },
};

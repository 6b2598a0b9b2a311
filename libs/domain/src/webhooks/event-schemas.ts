import {
  email,
  jsonObject,
  openEnum,
  nullable,
  object,
  previousValues,
  text,
  time,
  uuid,
  type JsonSchema,
} from '../json-schema.js';
import { authenticationMethods } from '../sessions/authentication-method.js';
import { revocationReasons } from '../sessions/revocation-reasons.js';
import { signInFailureReasons } from '../sessions/sign-in-failure.js';
import {
  ALL_CUSTOM_EVENTS,
  customEventTypePattern,
  MAX_CUSTOM_EVENT_TYPE_LENGTH,
} from './custom-event-types.js';
import { customEventExample, eventExamples } from './event-examples.js';
import {
  customerSchemas,
  deadLetter,
  deletedCustomer,
  eventResources,
  previousOrganization,
  previousProject,
} from './event-resources.js';
import { eventTypes, isEndpointEvent, isOrganizationEvent, type EventType } from './event-types.js';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

const ref = (name: string): JsonSchema => ({ $ref: `#/$defs/${name}` });

const customer = ref('customer');
const session = ref('session');
const factor = ref('factor');
const passkey = ref('passkey');
const identity = ref('identity');
const organization = ref('organization');
const project = ref('project');
const apiKey = ref('apiKey');
const endpoint = ref('endpoint');

const methods = {
  type: 'array',
  items: openEnum(
    'How the customer signed in, as the claim `amr` of the access token',
    ...authenticationMethods,
  ),
};
const provider = {
  ...text,
  type: ['string', 'null'],
  description: 'Slug of the identity provider with which the customer signed in, or null',
};
const reason = openEnum('Reason why the session ended', ...revocationReasons);

/** The members of a failed sign-in. */
const failure = {
  reason: openEnum('Reason why the sign-in failed', ...signInFailureReasons),
  methods: {
    type: 'array',
    items: openEnum('How the customer tried to sign in, as in `login.succeeded`', ...authenticationMethods),
  },
  device: nullable(text),
  ip: nullable(text),
  userAgent: nullable(text),
};

const verificationRequest = {
  kind: openEnum('Type of the verification', 'email'),
  email,
  requestedAt: time,
};
const via = openEnum(
  'Type of the email that verified the address; `provider` for an identity provider',
  ...['link', 'invite', 'reset', 'code', 'provider'],
);
const reset = object({ email, requestedAt: time });

/** The members of `data`. */
const dataMembers: Record<EventType, Readonly<Record<string, JsonSchema>>> = {
  'customer.created': { customer },
  'customer.updated': { customer, previous: previousValues(customerSchemas) },
  'customer.deleted': { customer: deletedCustomer },
  'customer.disabled': { customer },
  'customer.enabled': { customer },
  'customer.locked': { customer },
  'customer.unlocked': { customer },
  'verification.requested': { customer, verification: object(verificationRequest) },
  'verification.completed': {
    customer,
    verification: object({ ...verificationRequest, via, completedAt: time }),
  },
  'session.created': { customer, session },
  'session.revoked': { customer, session, reason },
  'login.succeeded': { customer, session, methods, provider },
  'login.failed': { customer, ...failure },
  'password.changed': { customer },
  'password.reset_requested': { customer, reset },
  'password.reset_completed': { customer, reset },
  'email.changed': {
    customer,
    previous: {
      ...previousValues({ email, emailVerified: customerSchemas.emailVerified }),
      required: ['email'],
    },
  },
  'factor.added': { customer, factor },
  'factor.removed': { customer, factor },
  'recovery_codes.generated': { customer },
  'recovery_codes.used': { customer },
  'passkey.added': { customer, passkey },
  'passkey.removed': { customer, passkey },
  'passkey.counter_anomaly': { customer, passkey },
  'identity.linked': { customer, identity },
  'identity.unlinked': { customer, identity },
  'token.reuse_detected': { customer, session },
  'organization.created': { organization },
  'organization.updated': { organization, previous: previousOrganization },
  'project.created': { project },
  'project.updated': { project, previous: previousProject },
  'project.archived': { project },
  'api_key.created': { apiKey },
  'api_key.rotated': { apiKey },
  'api_key.revoked': { apiKey },
  'api_key.expiring': { apiKey },
  'webhook.endpoint_disabled': { endpoint },
  'webhook.dead_lettered': { delivery: deadLetter, endpoint },
  'webhook.test': { endpoint },
};

const types = Object.keys(eventTypes) as EventType[];

function projectIdSchema(type: EventType): JsonSchema {
  if (isOrganizationEvent(type))
    return { type: 'null', description: 'The event does not belong to a project' };
  if (!isEndpointEvent(type)) return uuid;
  return { ...uuid, type: ['string', 'null'], description: 'null for an endpoint at organization level' };
}

/** Returns the schema of a complete body. */
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

/** Returns the schema of the bodies of one type. Its `$ref`s refer to the resources. */
const bodySchema = (type: EventType): JsonSchema => ({
  ...envelope(
    { const: type },
    projectIdSchema(type),
    object(dataMembers[type]),
    `Emitted when ${eventTypes[type].cause}`,
  ),
  title: type,
});

/** When a custom event is emitted, in words. */
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

/** The self-contained JSON Schema of the bodies of custom events. */
export const customEventSchema: JsonSchema = { $schema: DIALECT, ...customBodySchema };

/** Returns the self-contained JSON Schema of the bodies of one type. */
export function eventSchema(type: EventType): JsonSchema {
  const refs = Object.values(dataMembers[type]).map(({ $ref }) => $ref);
  const used = Object.entries(eventResources).filter(([name]) => refs.includes(ref(name)['$ref']));
  return { $schema: DIALECT, ...bodySchema(type), $defs: Object.fromEntries(used) };
}

/** The JSON Schema for the bodies of all types, distinguished by `type`, each with an example. */
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

import { attemptErrors } from './delivery.js';

/** A JSON Schema (2020-12), or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

type Members = Readonly<Record<string, JsonSchema>>;

export const text = { type: 'string' };
export const uuid = { type: 'string', format: 'uuid' };
export const email = { type: 'string', format: 'email' };
export const time = { type: 'string', format: 'date-time' };

const flag = { type: 'boolean' };
const seconds = { type: 'integer', description: 'Duration in seconds' };
const texts = { type: 'array', items: text };
const url = { type: 'string', format: 'uri' };
const jsonObject = { type: 'object', additionalProperties: true };
const orNull = (schema: { type: string; format?: string }): JsonSchema => ({
  ...schema,
  type: [schema.type, 'null'],
});

/** An object that has all of these members. Later versions may add others (contract, section 5). */
export const object = (properties: Members, description?: string): JsonSchema => ({
  type: 'object',
  ...(description === undefined ? {} : { description }),
  properties,
  required: Object.keys(properties),
  additionalProperties: true,
});

/** What an `*.updated` event tells of the time before: at least one of these members, and only those that changed. */
export const previousOf = (properties: Members): JsonSchema => ({
  type: 'object',
  description: 'The changed fields with their previous values',
  properties,
  minProperties: 1,
  additionalProperties: true,
});

/** Text with a few known values. No `enum`, for a receiver that refuses what it does not know would lose events. */
export const knownText = (description: string, ...values: string[]): JsonSchema => ({
  type: 'string',
  description: `${description}. Later versions may add values`,
  examples: values,
});

export const customerFields = {
  id: uuid,
  projectId: uuid,
  externalId: orNull(text),
  email,
  firstName: orNull(text),
  lastName: orNull(text),
  emailVerified: flag,
  metadata: { ...jsonObject, description: 'Readable only with a secret key' },
  publicMetadata: { ...jsonObject, description: 'Also readable by the customer' },
  disabledAt: orNull(time),
  createdAt: time,
  updatedAt: time,
  lastLoginAt: orNull(time),
} satisfies Members;

const organization = {
  id: uuid,
  name: text,
  slug: text,
  parentId: orNull(uuid),
  billingReturnOrigins: texts,
  createdAt: time,
  updatedAt: time,
} satisfies Members;

const branding = { displayName: orNull(text), logoUrl: orNull(url), color: orNull(text) };
const mail = { fromName: orNull(text), replyTo: orNull(email) };

const settings = {
  allowedOrigins: texts,
  redirectUrls: texts,
  verifyEmailUrl: orNull(url),
  resetPasswordUrl: orNull(url),
  acceptInviteUrl: orNull(url),
  requireVerifiedEmail: flag,
  enumerationProtection: flag,
  accessTokenTtl: seconds,
  refreshIdleTtl: seconds,
  refreshAbsoluteTtl: seconds,
  accessTokenClaims: texts,
  passwordMinLength: { type: 'integer' },
  breachCheck: flag,
  branding: object(branding),
  mail: object(mail),
};

/** The resources that events carry, exactly as a secret key's GET returns them, under their nouns. */
export const eventResources = {
  customer: object(customerFields, 'A customer, at the time of the event'),
  session: object(
    {
      id: uuid,
      device: orNull(text),
      ip: orNull(text),
      userAgent: orNull(text),
      createdAt: time,
      lastUsedAt: time,
      expiresAt: time,
    },
    'A session of a customer',
  ),
  project: object(
    {
      id: uuid,
      organizationId: uuid,
      name: text,
      slug: text,
      environment: knownText('Environment of the project', 'development', 'staging', 'production'),
      settings: object(settings),
      archivedAt: orNull(time),
      createdAt: time,
      updatedAt: time,
    },
    'A project with its effective settings',
  ),
  organization: object(organization, 'An organization'),
  apiKey: object(
    {
      id: uuid,
      projectId: uuid,
      name: text,
      type: knownText('Type of the key', 'secret', 'publishable'),
      access: knownText(
        'Access of the key: its project, or all projects of the organization',
        'project',
        'organization',
      ),
      scopes: texts,
      prefix: text,
      last4: text,
      expiresAt: orNull(time),
      lastUsedAt: orNull(time),
      revokedAt: orNull(time),
      rotatedFrom: orNull(uuid),
      createdAt: time,
    },
    'An API key, without its value',
  ),
  endpoint: object(
    {
      id: { ...text, pattern: '^ep_' },
      level: knownText(
        'Level of the endpoint: it receives the events of one project, or of all projects of the organization',
        'project',
        'organization',
      ),
      project_id: orNull(uuid),
      url: text,
      description: orNull(text),
      events: texts,
      status: knownText('Status of the endpoint', 'enabled', 'disabled'),
      disabled_reason: {
        ...knownText('Reason why the endpoint is disabled', 'manual', 'failing'),
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
} satisfies Members;

/** A delivery whose attempts have all failed: neither what it carried nor what the target answered. */
export const deadLetter = object(
  {
    id: { ...text, pattern: '^dlv_' },
    event_id: { ...text, pattern: '^evt_' },
    event: text,
    endpoint_id: { ...text, pattern: '^ep_' },
    project_id: orNull(uuid),
    target_url: text,
    state: knownText('Final state of the delivery', 'failed'),
    attempts: { type: 'integer', description: 'Number of attempts' },
    last_http_status: {
      type: 'integer',
      description: 'HTTP status of the last attempt. 0: no response was received',
    },
    last_error: knownText('Error of the last attempt', ...attemptErrors),
    created_at: time,
    finished_at: time,
  },
  'A delivery that has become a dead letter',
);

/** Only ids: nothing that would have to be erased with the customer. */
export const deletedCustomer = object(
  { id: customerFields.id, projectId: customerFields.projectId, externalId: customerFields.externalId },
  'The ids of the deleted customer',
);

export const previousOrganization = previousOf({
  name: organization.name,
  billingReturnOrigins: organization.billingReturnOrigins,
});

export const previousProject = previousOf({
  name: text,
  settings: previousOf({ ...settings, branding: previousOf(branding), mail: previousOf(mail) }),
});

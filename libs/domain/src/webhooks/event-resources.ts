import { customerFields, type Customer } from '../customers/customer.js';
import { passwordHashings } from '../customers/password-policy.js';
import {
  email,
  flag,
  openEnum,
  object,
  nullable,
  previousValues,
  seconds,
  text,
  texts,
  time,
  url,
  urls,
  uuid,
  type JsonSchema,
  type Members,
} from '../json-schema.js';
import { factorTypes, mfaPolicies } from '../factors/factor.js';
import { identityProviderTypes } from '../identity-providers/identity-provider.js';
import { limitSettings } from '../limits/limit-catalog.js';
import { signingAlgorithms, tokenSubjects } from '../projects/project-settings.js';
import { attemptErrors } from './delivery.js';

/** The schema of every field of a customer. */
export const customerSchemas = Object.fromEntries(
  Object.entries(customerFields).map(([name, { schema }]) => [name, schema]),
) as Record<keyof Customer, JsonSchema>;

const organization = {
  id: uuid,
  name: text,
  slug: text,
  parentId: nullable(uuid),
  billingReturnOrigins: urls,
  createdAt: time,
  updatedAt: time,
} satisfies Members;

const branding = { displayName: nullable(text), logoUrl: nullable(url), color: nullable(text) };
const mail = { fromName: nullable(text), replyTo: nullable(email) };
const perHour: JsonSchema = { type: 'integer' };
const mailLimits = {
  signUp: perHour,
  passwordReset: perHour,
  emailChange: perHour,
  invitation: perHour,
  signIn: perHour,
  perRecipient: perHour,
};

const limits = Object.fromEntries(
  Object.entries(limitSettings).map(([name, { description }]) => [name, { type: 'integer', description }]),
);

const signIn = { password: flag, emailCode: flag, passkey: flag, allowSignUp: flag };
const legacySignIn = { url };
const passkeys = { rpId: text, rpName: nullable(text), origins: texts };
const orNull = (schema: JsonSchema): JsonSchema => ({ ...schema, type: ['object', 'null'] });

const settings = {
  allowedOrigins: urls,
  redirectUrls: urls,
  verifyEmailUrl: nullable(url),
  resetPasswordUrl: nullable(url),
  acceptInviteUrl: nullable(url),
  signIn: object(signIn),
  legacySignIn: orNull(object(legacySignIn)),
  passkeys: orNull(object(passkeys)),
  testEmailCode: nullable(text),
  requireVerifiedEmail: flag,
  enumerationProtection: flag,
  accessTokenTtl: seconds,
  refreshIdleTtl: seconds,
  refreshAbsoluteTtl: seconds,
  refreshGrace: {
    oneOf: [{ const: 'until_used' }, { type: 'integer' }],
    description: '`until_used`, or a duration in seconds',
  },
  mfa: openEnum('Whether customers can, or must, use a second factor', ...mfaPolicies),
  mfaGraceDays: { type: 'integer' },
  accessTokenClaims: texts,
  signingAlgorithm: openEnum('Algorithm of access tokens', ...signingAlgorithms),
  tokenSubject: openEnum('Field of a customer that is the `sub` of access tokens', ...tokenSubjects),
  passwordMinLength: { type: 'integer' },
  passwordHashing: openEnum('How passwords are hashed', ...passwordHashings),
  breachCheck: flag,
  defaultLocale: nullable(text),
  branding: object(branding),
  mail: object(mail),
  mailLimits: object(mailLimits),
  limits: object(limits),
};

/**
 * The schemas of the resources in events, by noun. They are identical to the responses of GET with a secret
 * key.
 */
export const eventResources = {
  customer: object(customerSchemas, 'A customer, at the time of the event'),
  session: object(
    {
      id: uuid,
      device: nullable(text),
      ip: nullable(text),
      userAgent: nullable(text),
      createdAt: time,
      lastUsedAt: time,
      expiresAt: time,
    },
    'A session of a customer',
  ),
  factor: object(
    {
      id: uuid,
      type: openEnum('Type of the factor', ...factorTypes),
      createdAt: time,
      lastUsedAt: nullable(time),
    },
    'A second factor of a customer',
  ),
  passkey: object(
    { id: uuid, name: text, createdAt: time, lastUsedAt: nullable(time) },
    'A passkey of a customer, without its key',
  ),
  identity: object(
    {
      id: uuid,
      provider: { ...text, description: 'Slug of the identity provider' },
      type: openEnum('Type of the identity provider', ...identityProviderTypes),
      subject: { ...text, description: 'Identifies the account at the identity provider' },
      email: nullable(text),
      createdAt: time,
      lastUsedAt: nullable(time),
    },
    'An account of a customer at an identity provider',
  ),
  project: object(
    {
      id: uuid,
      organizationId: uuid,
      name: text,
      slug: text,
      environment: openEnum('Environment of the project', 'development', 'staging', 'production'),
      settings: object(settings),
      archivedAt: nullable(time),
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
      type: openEnum('Type of the key', 'secret', 'publishable'),
      access: openEnum(
        'Access of the key: its project, or all projects of the organization',
        'project',
        'organization',
      ),
      scopes: texts,
      rateLimit: {
        type: ['integer', 'null'],
        description: 'Requests per second that the key may send. null: the default',
      },
      prefix: text,
      last4: text,
      expiresAt: nullable(time),
      lastUsedAt: nullable(time),
      revokedAt: nullable(time),
      rotatedFrom: nullable(uuid),
      createdAt: time,
    },
    'An API key, without its value',
  ),
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
      events: texts,
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
} satisfies Members;

/** A delivery whose attempts have all failed, without its payload and without the responses of the target. */
export const deadLetter = object(
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

/** Contains ids only, so that nothing has to be erased with the customer. */
export const deletedCustomer = object(
  { id: customerSchemas.id, projectId: customerSchemas.projectId, externalId: customerSchemas.externalId },
  'The ids of the deleted customer',
);

export const previousOrganization = previousValues({
  name: organization.name,
  billingReturnOrigins: organization.billingReturnOrigins,
});

export const previousProject = previousValues({
  name: text,
  settings: previousValues({
    ...settings,
    signIn: previousValues(signIn),
    legacySignIn: orNull(previousValues(legacySignIn)),
    passkeys: orNull(previousValues(passkeys)),
    branding: previousValues(branding),
    mail: previousValues(mail),
    mailLimits: previousValues(mailLimits),
    limits: previousValues(limits),
  }),
});

import { exampleCustomer } from '../customers/customer.js';
import { publicId } from '../ids.js';
import { defaultSettings } from '../projects/project-settings.js';
import type { CustomEventType } from './custom-event-types.js';
import { eventTypes, isOrganizationEvent, type EventType } from './event-types.js';

/** The body of a webhook (contract, section 5). */
export interface EventBody {
  id: string;
  type: EventType;
  created_at: string;
  /** Null for an event that belongs to no project. */
  project_id: string | null;
  organization_id: string;
  data: Record<string, unknown>;
}

/** Returns a UUIDv7 of a time. */
function exampleId(at: string, tail: string): string {
  const ms = Date.parse(at).toString(16).padStart(12, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7c1f-9d2b-${tail}`;
}

/** Returns a time on 2 March 2026. All examples are events of this day, about the same customer. */
const exampleTime = (time: string): string => `2026-03-02T${time}Z`;

const organizationId = exampleId('2026-01-12T08:00:00.000Z', '5a7d0e31c964');
const projectId = exampleId('2026-01-12T08:00:00.004Z', 'c3184f6b92d0');

const signedUpAt = exampleTime('09:14:07.312');
const verifiedAt = exampleTime('09:15:41.870');
const loggedInAt = exampleTime('09:20:03.154');
const renamedAt = exampleTime('09:24:30.006');
const tokenReusedAt = exampleTime('09:48:48.225');
const loginFailedAt = exampleTime('10:02:16.431');
const resetRequestedAt = exampleTime('10:07:55.290');
const resetCompletedAt = exampleTime('10:09:12.777');
const loggedInAgainAt = exampleTime('11:28:40.020');
const passwordChangedAt = exampleTime('11:30:00.518');
const emailChangedAt = exampleTime('13:45:22.093');
const factorAddedAt = exampleTime('14:05:10.317');
const recoveryCodeUsedAt = exampleTime('14:20:31.662');
const passkeyAddedAt = exampleTime('14:10:27.845');
const passkeyUsedAt = exampleTime('14:12:55.301');
const identityLinkedAt = exampleTime('14:16:09.902');
const factorRemovedAt = exampleTime('14:21:04.195');
const customerDisabledAt = exampleTime('15:00:00.640');
const customerEnabledAt = exampleTime('15:30:00.911');
const customerDeletedAt = exampleTime('18:00:00.400');

const newCustomer = exampleCustomer({
  id: exampleId(signedUpAt, '8e40b7d2516a'),
  projectId,
  createdAt: signedUpAt,
  updatedAt: signedUpAt,
});
const verifiedCustomer = { ...newCustomer, emailVerified: true, updatedAt: verifiedAt };
const signedInCustomer = { ...verifiedCustomer, lastLoginAt: loggedInAt };
const renamedCustomer = { ...signedInCustomer, lastName: 'Lovelace', updatedAt: renamedAt };
const customerAfterReset = { ...renamedCustomer, updatedAt: resetCompletedAt };
const customerAfterPasswordChange = {
  ...customerAfterReset,
  lastLoginAt: loggedInAgainAt,
  updatedAt: passwordChangedAt,
};
const customerAfterEmailChange = {
  ...customerAfterPasswordChange,
  email: 'ada@lovelace.example',
  updatedAt: emailChangedAt,
};
const disabledCustomer = {
  ...customerAfterEmailChange,
  disabledAt: customerDisabledAt,
  updatedAt: customerDisabledAt,
};
const enabledCustomer = { ...customerAfterEmailChange, updatedAt: customerEnabledAt };

const session = {
  id: exampleId(loggedInAt, '27f9c05ae8b3'),
  device: 'Firefox on macOS',
  ip: '203.0.113.7',
  userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0',
  createdAt: loggedInAt,
  lastUsedAt: loggedInAt,
  expiresAt: '2026-04-01T09:20:03.154Z',
};

const factor = {
  id: exampleId(factorAddedAt, '4c71e8d9a0f6'),
  type: 'totp',
  createdAt: factorAddedAt,
  lastUsedAt: factorAddedAt,
};

const passkey = {
  id: exampleId(passkeyAddedAt, '90d3b1c7e2f4'),
  name: 'Firefox on macOS',
  createdAt: passkeyAddedAt,
  lastUsedAt: null,
};

const identity = {
  id: exampleId(identityLinkedAt, '6b20d9e4f713'),
  provider: 'google',
  type: 'google',
  subject: '110169484474386276334',
  email: 'ada@lovelace.example',
  createdAt: identityLinkedAt,
  lastUsedAt: identityLinkedAt,
};

const verification = { kind: 'email', email: verifiedCustomer.email, requestedAt: signedUpAt };
const reset = { email: verifiedCustomer.email, requestedAt: resetRequestedAt };

const project = {
  id: projectId,
  organizationId,
  name: 'Difference Engine',
  slug: 'difference-engine',
  environment: 'production',
  settings: {
    ...defaultSettings,
    allowedOrigins: ['https://app.example.com'],
    passwordMinLength: 12,
    branding: { ...defaultSettings.branding, color: '#1d4ed8' },
  },
  archivedAt: null,
  createdAt: '2026-01-12T08:00:00.004Z',
  updatedAt: exampleTime('08:30:00.127'),
};

const newProject = {
  ...project,
  name: 'Analytical Engine',
  slug: 'analytical-engine',
  environment: 'development',
  settings: defaultSettings,
  updatedAt: project.createdAt,
};
const projectArchivedAt = exampleTime('19:00:00.250');

const organization = {
  id: organizationId,
  name: 'Lovelace & Babbage',
  slug: 'byron-babbage',
  parentId: null,
  billingReturnOrigins: ['https://app.example.com'],
  createdAt: '2026-01-12T08:00:00.000Z',
  updatedAt: exampleTime('08:20:00.503'),
};
const newOrganization = {
  ...organization,
  id: exampleId(exampleTime('08:10:00.000'), '3b1e6f90d7a8'),
  name: 'Menabrea',
  slug: 'menabrea',
  parentId: organizationId,
  billingReturnOrigins: [],
  createdAt: exampleTime('08:10:00.000'),
  updatedAt: exampleTime('08:10:00.000'),
};

const apiKey = {
  id: exampleId(exampleTime('08:40:00.071'), 'd20c94b8e61f'),
  projectId,
  name: 'Order service',
  type: 'secret',
  access: 'project',
  scopes: ['customer:read', 'customer:write'],
  rateLimit: null,
  prefix: 'sk_003aU',
  last4: 'INfG',
  expiresAt: '2026-05-31T08:40:00.000Z',
  lastUsedAt: null,
  revokedAt: null,
  rotatedFrom: null,
  createdAt: exampleTime('08:40:00.071'),
};
const usedApiKey = { ...apiKey, lastUsedAt: exampleTime('16:59:12.480') };
const keyRotatedAt = exampleTime('17:00:00.304');
const rotatedApiKey = {
  ...apiKey,
  id: exampleId(keyRotatedAt, '61f8a3c07be5'),
  prefix: 'sk_7Qm2x',
  last4: 'tR8c',
  expiresAt: '2026-05-31T17:00:00.233Z',
  rotatedFrom: apiKey.id,
  createdAt: keyRotatedAt,
};
const keyRevokedAt = exampleTime('17:30:00.118');

const endpoint = {
  id: publicId('endpoint', exampleId(exampleTime('08:50:00.620'), '7be2039fd415')),
  level: 'project',
  project_id: projectId,
  name: 'orders.example.com',
  url: 'https://orders.example.com/webhooks',
  description: 'Order service',
  events: ['customer.*'],
  status: 'enabled',
  disabled_reason: null,
  headers: {},
  created_at: exampleTime('08:50:00.620'),
  updated_at: exampleTime('08:50:00.620'),
};
const deadLetteredAt = exampleTime('09:53:12.064');
const deadLetter = {
  id: publicId('delivery', exampleId(signedUpAt, '2c9e70a4d8b1')),
  event_id: publicId('event', exampleId(signedUpAt, '94d6e1f03b00')),
  event: 'customer.created',
  endpoint_id: endpoint.id,
  project_id: projectId,
  target_url: endpoint.url,
  state: 'failed',
  attempts: 5,
  last_http_status: 503,
  last_error: 'http_error',
  created_at: signedUpAt,
  finished_at: deadLetteredAt,
};
const endpointDisabledAt = '2026-03-05T09:14:10.882Z';

/** The time and the data of each example. */
const examplesByType: Record<EventType, readonly [at: string, data: Record<string, unknown>]> = {
  'customer.created': [signedUpAt, { customer: newCustomer }],
  'customer.updated': [
    renamedAt,
    { customer: renamedCustomer, previous: { lastName: verifiedCustomer.lastName } },
  ],
  'customer.deleted': [
    customerDeletedAt,
    { customer: { id: verifiedCustomer.id, projectId, externalId: verifiedCustomer.externalId } },
  ],
  'customer.disabled': [customerDisabledAt, { customer: disabledCustomer }],
  'customer.enabled': [customerEnabledAt, { customer: enabledCustomer }],
  'customer.locked': [loginFailedAt, { customer: renamedCustomer }],
  'customer.unlocked': [resetCompletedAt, { customer: customerAfterReset }],
  'verification.requested': [signedUpAt, { customer: newCustomer, verification }],
  'verification.completed': [
    verifiedAt,
    { customer: verifiedCustomer, verification: { ...verification, via: 'link', completedAt: verifiedAt } },
  ],
  'session.created': [loggedInAt, { customer: signedInCustomer, session }],
  'session.revoked': [tokenReusedAt, { customer: renamedCustomer, session, reason: 'reuse_detected' }],
  'login.succeeded': [loggedInAt, { customer: signedInCustomer, session, methods: ['pwd'], provider: null }],
  'login.failed': [
    loginFailedAt,
    {
      customer: renamedCustomer,
      reason: 'wrong_password',
      methods: ['pwd'],
      device: session.device,
      ip: session.ip,
      userAgent: session.userAgent,
    },
  ],
  'password.changed': [passwordChangedAt, { customer: customerAfterPasswordChange }],
  'password.reset_requested': [resetRequestedAt, { customer: renamedCustomer, reset }],
  'password.reset_completed': [resetCompletedAt, { customer: customerAfterReset, reset }],
  'email.changed': [
    emailChangedAt,
    { customer: customerAfterEmailChange, previous: { email: verifiedCustomer.email } },
  ],
  'factor.added': [factorAddedAt, { customer: customerAfterEmailChange, factor }],
  'factor.removed': [factorRemovedAt, { customer: customerAfterEmailChange, factor }],
  'recovery_codes.generated': [factorAddedAt, { customer: customerAfterEmailChange }],
  'recovery_codes.used': [recoveryCodeUsedAt, { customer: customerAfterEmailChange }],
  'passkey.added': [passkeyAddedAt, { customer: customerAfterEmailChange, passkey }],
  'passkey.removed': [factorRemovedAt, { customer: customerAfterEmailChange, passkey }],
  'passkey.counter_anomaly': [
    passkeyUsedAt,
    { customer: customerAfterEmailChange, passkey: { ...passkey, lastUsedAt: passkeyUsedAt } },
  ],
  'identity.linked': [identityLinkedAt, { customer: customerAfterEmailChange, identity }],
  'identity.unlinked': [factorRemovedAt, { customer: customerAfterEmailChange, identity }],
  'token.reuse_detected': [tokenReusedAt, { customer: renamedCustomer, session }],
  'organization.created': [newOrganization.createdAt, { organization: newOrganization }],
  'organization.updated': [organization.updatedAt, { organization, previous: { name: 'Byron & Babbage' } }],
  'project.created': [newProject.createdAt, { project: newProject }],
  'project.updated': [
    project.updatedAt,
    { project, previous: { settings: { passwordMinLength: defaultSettings.passwordMinLength } } },
  ],
  'project.archived': [
    projectArchivedAt,
    { project: { ...newProject, archivedAt: projectArchivedAt, updatedAt: projectArchivedAt } },
  ],
  'api_key.created': [apiKey.createdAt, { apiKey }],
  'api_key.rotated': [rotatedApiKey.createdAt, { apiKey: rotatedApiKey }],
  'api_key.revoked': [keyRevokedAt, { apiKey: { ...usedApiKey, revokedAt: keyRevokedAt } }],
  'api_key.expiring': ['2026-05-24T08:41:30.000Z', { apiKey: usedApiKey }],
  'webhook.endpoint_disabled': [
    endpointDisabledAt,
    {
      endpoint: {
        ...endpoint,
        status: 'disabled',
        disabled_reason: 'failing',
        updated_at: endpointDisabledAt,
      },
    },
  ],
  'webhook.dead_lettered': [deadLetteredAt, { delivery: deadLetter, endpoint }],
  'webhook.test': [exampleTime('08:51:20.337'), { endpoint }],
};

/** An example body of each type. */
export const eventExamples = Object.fromEntries(
  (Object.keys(eventTypes) as EventType[]).map((type, index) => {
    const [at, data] = examplesByType[type];
    const tail = `94d6e1f03b${index.toString(16).padStart(2, '0')}`;
    const id = publicId('event', exampleId(at, tail));
    const project_id = isOrganizationEvent(type) ? null : projectId;
    return [type, { id, type, created_at: at, project_id, organization_id: organizationId, data }];
  }),
) as Record<EventType, EventBody>;

/** An example body of a custom event. */
export const customEventExample: Omit<EventBody, 'type'> & { type: CustomEventType } = {
  id: publicId('event', exampleId(exampleTime('12:10:44.281'), '94d6e1f03bff')),
  type: 'app.order.paid',
  created_at: exampleTime('12:10:44.281'),
  project_id: projectId,
  organization_id: organizationId,
  data: { order: { id: 'ord_1024', total: '49.90', currency: 'EUR' } },
};

import { exampleCustomer } from '../customers/customer.js';
import { publicId } from '../ids.js';
import { defaultSettings } from '../projects/project-settings.js';
import { eventTypes, isOfOrganization, type EventType } from './event-types.js';

/** A webhook's body (contract, section 5). */
export interface EventBody {
  id: string;
  type: EventType;
  created_at: string;
  /** Null for what happened in no project. */
  project_id: string | null;
  organization_id: string;
  data: Record<string, unknown>;
}

/** A UUIDv7 of that time. */
function exampleId(at: string, tail: string): string {
  const ms = Date.parse(at).toString(16).padStart(12, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7c1f-9d2b-${tail}`;
}

/** On the day in March on which Ada Lovelace does everything that a customer can do. */
const on = (time: string): string => `2026-03-02T${time}Z`;

const organizationId = exampleId('2026-01-12T08:00:00.000Z', '5a7d0e31c964');
const projectId = exampleId('2026-01-12T08:00:00.004Z', 'c3184f6b92d0');

const signedUp = on('09:14:07.312');
const verified = on('09:15:41.870');
const loggedIn = on('09:20:03.154');
const renamed = on('09:24:30.006');
const reused = on('09:48:48.225');
const failed = on('10:02:16.431');
const resetAsked = on('10:07:55.290');
const resetDone = on('10:09:12.777');
const loggedInAgain = on('11:28:40.020');
const passwordChanged = on('11:30:00.518');
const moved = on('13:45:22.093');
const disabled = on('15:00:00.640');
const enabled = on('15:30:00.911');
const deleted = on('18:00:00.400');

const newcomer = exampleCustomer({
  id: exampleId(signedUp, '8e40b7d2516a'),
  projectId,
  createdAt: signedUp,
  updatedAt: signedUp,
});
const ada = { ...newcomer, emailVerified: true, updatedAt: verified };
const adaInside = { ...ada, lastLoginAt: loggedIn };
const adaLovelace = { ...adaInside, lastName: 'Lovelace', updatedAt: renamed };
const adaReset = { ...adaLovelace, updatedAt: resetDone };
const adaChanged = { ...adaReset, lastLoginAt: loggedInAgain, updatedAt: passwordChanged };
const adaMoved = { ...adaChanged, email: 'ada@lovelace.example', updatedAt: moved };
const adaDisabled = { ...adaMoved, disabledAt: disabled, updatedAt: disabled };
const adaEnabled = { ...adaMoved, updatedAt: enabled };

const session = {
  id: exampleId(loggedIn, '27f9c05ae8b3'),
  device: 'Firefox on macOS',
  ip: '203.0.113.7',
  userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0',
  createdAt: loggedIn,
  lastUsedAt: loggedIn,
  expiresAt: '2026-04-01T09:20:03.154Z',
};

const verification = { kind: 'email', email: ada.email, requestedAt: signedUp };
const reset = { email: ada.email, requestedAt: resetAsked };

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
  updatedAt: on('08:30:00.127'),
};

const newProject = {
  ...project,
  name: 'Analytical Engine',
  slug: 'analytical-engine',
  environment: 'development',
  settings: defaultSettings,
  updatedAt: project.createdAt,
};
const projectArchived = on('19:00:00.250');

const organization = {
  id: organizationId,
  name: 'Lovelace & Babbage',
  slug: 'byron-babbage',
  parentId: null,
  billingReturnOrigins: ['https://app.example.com'],
  createdAt: '2026-01-12T08:00:00.000Z',
  updatedAt: on('08:20:00.503'),
};
const newOrganization = {
  ...organization,
  id: exampleId(on('08:10:00.000'), '3b1e6f90d7a8'),
  name: 'Menabrea',
  slug: 'menabrea',
  parentId: organizationId,
  billingReturnOrigins: [],
  createdAt: on('08:10:00.000'),
  updatedAt: on('08:10:00.000'),
};

const apiKey = {
  id: exampleId(on('08:40:00.071'), 'd20c94b8e61f'),
  projectId,
  name: 'Order service',
  type: 'secret',
  access: 'project',
  scopes: ['customer:read', 'customer:write'],
  prefix: 'sk_003aU',
  last4: 'INfG',
  expiresAt: '2026-05-31T08:40:00.000Z',
  lastUsedAt: null,
  revokedAt: null,
  rotatedFrom: null,
  createdAt: on('08:40:00.071'),
};
const keyInUse = { ...apiKey, lastUsedAt: on('16:59:12.480') };
const keyRotated = on('17:00:00.304');
const nextKey = {
  ...apiKey,
  id: exampleId(keyRotated, '61f8a3c07be5'),
  prefix: 'sk_7Qm2x',
  last4: 'tR8c',
  expiresAt: '2026-05-31T17:00:00.233Z',
  rotatedFrom: apiKey.id,
  createdAt: keyRotated,
};
const keyRevoked = on('17:30:00.118');

const endpoint = {
  id: publicId('endpoint', exampleId(on('08:50:00.620'), '7be2039fd415')),
  level: 'project',
  project_id: projectId,
  url: 'https://orders.example.com/webhooks',
  description: 'Order service',
  events: ['customer.*'],
  status: 'enabled',
  disabled_reason: null,
  headers: {},
  created_at: on('08:50:00.620'),
  updated_at: on('08:50:00.620'),
};
const died = on('09:53:12.064');
const deadLetter = {
  id: publicId('delivery', exampleId(signedUp, '2c9e70a4d8b1')),
  event_id: publicId('event', exampleId(signedUp, '94d6e1f03b00')),
  event: 'customer.created',
  endpoint_id: endpoint.id,
  project_id: projectId,
  target_url: endpoint.url,
  state: 'failed',
  attempts: 5,
  last_http_status: 503,
  last_error: 'http_error',
  created_at: signedUp,
  finished_at: died,
};
const givenUp = '2026-03-05T09:14:10.882Z';

/** What each event tells, and when it happened. */
const story: Record<EventType, readonly [at: string, data: Record<string, unknown>]> = {
  'customer.created': [signedUp, { customer: newcomer }],
  'customer.updated': [renamed, { customer: adaLovelace, previous: { lastName: ada.lastName } }],
  'customer.deleted': [deleted, { customer: { id: ada.id, projectId, externalId: ada.externalId } }],
  'customer.disabled': [disabled, { customer: adaDisabled }],
  'customer.enabled': [enabled, { customer: adaEnabled }],
  'customer.locked': [failed, { customer: adaLovelace }],
  'customer.unlocked': [resetDone, { customer: adaReset }],
  'verification.requested': [signedUp, { customer: newcomer, verification }],
  'verification.completed': [
    verified,
    { customer: ada, verification: { ...verification, via: 'link', completedAt: verified } },
  ],
  'session.created': [loggedIn, { customer: adaInside, session }],
  'session.revoked': [reused, { customer: adaLovelace, session, reason: 'reuse_detected' }],
  'login.succeeded': [loggedIn, { customer: adaInside, session }],
  'login.failed': [failed, { customer: adaLovelace }],
  'password.changed': [passwordChanged, { customer: adaChanged }],
  'password.reset_requested': [resetAsked, { customer: adaLovelace, reset }],
  'password.reset_completed': [resetDone, { customer: adaReset, reset }],
  'email.changed': [moved, { customer: adaMoved, previous: { email: ada.email } }],
  'token.reuse_detected': [reused, { customer: adaLovelace, session }],
  'organization.created': [newOrganization.createdAt, { organization: newOrganization }],
  'organization.updated': [organization.updatedAt, { organization, previous: { name: 'Byron & Babbage' } }],
  'project.created': [newProject.createdAt, { project: newProject }],
  'project.updated': [
    project.updatedAt,
    { project, previous: { settings: { passwordMinLength: defaultSettings.passwordMinLength } } },
  ],
  'project.archived': [
    projectArchived,
    { project: { ...newProject, archivedAt: projectArchived, updatedAt: projectArchived } },
  ],
  'api_key.created': [apiKey.createdAt, { apiKey }],
  'api_key.rotated': [nextKey.createdAt, { apiKey: nextKey }],
  'api_key.revoked': [keyRevoked, { apiKey: { ...keyInUse, revokedAt: keyRevoked } }],
  'api_key.expiring': ['2026-05-24T08:41:30.000Z', { apiKey: keyInUse }],
  'webhook.endpoint_disabled': [
    givenUp,
    { endpoint: { ...endpoint, status: 'disabled', disabled_reason: 'failing', updated_at: givenUp } },
  ],
  'webhook.dead_lettered': [died, { delivery: deadLetter, endpoint }],
  'webhook.test': [on('08:51:20.337'), { endpoint }],
};

/** One body of each type, as Gatehouse would send it. */
export const eventExamples = Object.fromEntries(
  (Object.keys(eventTypes) as EventType[]).map((type, index) => {
    const [at, data] = story[type];
    const tail = `94d6e1f03b${index.toString(16).padStart(2, '0')}`;
    const id = publicId('event', exampleId(at, tail));
    const project_id = isOfOrganization(type) ? null : projectId;
    return [type, { id, type, created_at: at, project_id, organization_id: organizationId, data }];
  }),
) as Record<EventType, EventBody>;

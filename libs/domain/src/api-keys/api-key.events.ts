import { declareEvents, ref } from '../events/event-declaration.js';
import { exampleId, exampleProjectId, exampleTime } from '../events/event-example.js';
import { nullable, object, openEnum, text, strings, time, uuid } from '../values/json-schema.js';

export const apiKeyResources = {
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
      scopes: strings,
      rateLimit: {
        type: ['integer', 'null'],
        description: 'Requests per second that the key may send. Null means the default',
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
};

const data = { apiKey: ref('apiKey') };

const createdAt = exampleTime('08:40:00.071');
const createdKey = {
  id: exampleId(createdAt, 'd20c94b8e61f'),
  projectId: exampleProjectId,
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
  createdAt,
};
const usedKey = { ...createdKey, lastUsedAt: exampleTime('16:59:12.480') };
const rotatedAt = exampleTime('17:00:00.304');
const rotatedKey = {
  ...createdKey,
  id: exampleId(rotatedAt, '61f8a3c07be5'),
  prefix: 'sk_7Qm2x',
  last4: 'tR8c',
  expiresAt: '2026-05-31T17:00:00.233Z',
  rotatedFrom: createdKey.id,
  createdAt: rotatedAt,
};
const revokedAt = exampleTime('17:30:00.118');

export const apiKeyEvents = declareEvents({
  'api_key.created': {
    cause: 'a key was created',
    data,
    example: [createdAt, { apiKey: createdKey }],
    action: 'api_key.created',
  },
  'api_key.rotated': {
    cause: 'a key was rotated. `rotatedFrom` contains the id of the previous key',
    data,
    example: [rotatedAt, { apiKey: rotatedKey }],
    action: 'api_key.rotated',
  },
  'api_key.revoked': {
    cause: 'a key was revoked',
    data,
    example: [revokedAt, { apiKey: { ...usedKey, revokedAt } }],
    action: 'api_key.revoked',
  },
  'api_key.expiring': {
    cause: 'a key expires within a week. Emitted once per key, and not for keys that were rotated',
    data,
    example: ['2026-05-24T08:41:30.000Z', { apiKey: usedKey }],
  },
});

export const apiKeyActions = ['api_key.scopes_added'] as const;

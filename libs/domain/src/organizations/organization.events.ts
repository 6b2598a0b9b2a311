import { declareEvents, ref } from '../events/event-declaration.js';
import { exampleId, exampleOrganizationId, exampleTime } from '../events/event-example.js';
import {
  nullable,
  object,
  previousValues,
  text,
  time,
  urls,
  uuid,
  type Members,
} from '../values/json-schema.js';

const schemas = {
  id: uuid,
  name: text,
  slug: text,
  parentId: nullable(uuid),
  billingReturnOrigins: urls,
  createdAt: time,
  updatedAt: time,
} satisfies Members;

export const organizationResources = { organization: object(schemas, 'An organization') };

const organization = ref('organization');

const updatedExample = {
  id: exampleOrganizationId,
  name: 'Lovelace & Babbage',
  slug: 'byron-babbage',
  parentId: null,
  billingReturnOrigins: ['https://app.example.com'],
  createdAt: '2026-01-12T08:00:00.000Z',
  updatedAt: exampleTime('08:20:00.503'),
};
const createdAt = exampleTime('08:10:00.000');
const createdExample = {
  id: exampleId(createdAt, '3b1e6f90d7a8'),
  name: 'Menabrea',
  slug: 'menabrea',
  parentId: exampleOrganizationId,
  billingReturnOrigins: [],
  createdAt,
  updatedAt: createdAt,
};

export const organizationEvents = declareEvents({
  'organization.created': {
    cause: 'an organization was created. Delivered to the organization that created it',
    data: { organization },
    example: [createdAt, { organization: createdExample }],
    action: 'organization.created',
  },
  'organization.updated': {
    cause: 'an organization was updated. `previous` contains the previous values',
    data: {
      organization,
      previous: previousValues({ name: schemas.name, billingReturnOrigins: schemas.billingReturnOrigins }),
    },
    example: [
      updatedExample.updatedAt,
      { organization: updatedExample, previous: { name: 'Byron & Babbage' } },
    ],
    action: 'organization.updated',
  },
});

export const organizationActions = ['organization.billing_portal_opened'] as const;

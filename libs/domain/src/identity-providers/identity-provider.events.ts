import { customerAfterEmailChange, exampleTimes as at } from '../customers/customer-examples.js';
import { declareEvents, ref } from '../events/event-declaration.js';
import { exampleId, exampleTime } from '../events/event-example.js';
import { nullable, object, openEnum, text, time, uuid } from '../values/json-schema.js';
import { identityProviderTypes } from './identity-provider.js';

export const identityResources = {
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
};

const data = { customer: ref('customer'), identity: ref('identity') };

const linkedAt = exampleTime('14:16:09.902');
const example = {
  customer: customerAfterEmailChange,
  identity: {
    id: exampleId(linkedAt, '6b20d9e4f713'),
    provider: 'google',
    type: 'google',
    subject: '110169484474386276334',
    email: 'ada@lovelace.example',
    createdAt: linkedAt,
    lastUsedAt: linkedAt,
  },
};

export const identityEvents = declareEvents({
  'identity.linked': {
    cause: 'a customer was linked to an account at an identity provider',
    data,
    example: [linkedAt, example],
    timeline: 'security',
    action: 'customer.identity_linked',
    mail: 'identity-linked',
  },
  'identity.unlinked': {
    cause: 'an account at an identity provider was unlinked, by the customer or through the API',
    data,
    example: [at.factorRemoved, example],
    timeline: 'security',
    action: 'customer.identity_unlinked',
    mail: 'identity-unlinked',
  },
});

export const identityProviderActions = [
  'identity_provider.created',
  'identity_provider.updated',
  'identity_provider.deleted',
  'identity_provider.tested',
  'identity_provider.domain_checked',
  'identity_provider.domain_lapsed',
] as const;

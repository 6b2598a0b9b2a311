import { customerAfterEmailChange, exampleTimes as at } from '../customers/customer-examples.js';
import { declareEvents, ref } from '../events/event-declaration.js';
import { exampleId, exampleTime } from '../events/event-example.js';
import { nullable, object, text, time, uuid } from '../values/json-schema.js';

export const passkeyResources = {
  passkey: object(
    { id: uuid, name: text, createdAt: time, lastUsedAt: nullable(time) },
    'A passkey of a customer, without its key',
  ),
};

const data = { customer: ref('customer'), passkey: ref('passkey') };

const addedAt = exampleTime('14:10:27.845');
const usedAt = exampleTime('14:12:55.301');
const passkey = {
  id: exampleId(addedAt, '90d3b1c7e2f4'),
  name: 'Firefox on macOS',
  createdAt: addedAt,
  lastUsedAt: null,
};
const example = { customer: customerAfterEmailChange, passkey };

export const passkeyEvents = declareEvents({
  'passkey.added': {
    cause: 'a customer added a passkey',
    data,
    example: [addedAt, example],
    timeline: 'security',
    label: 'Passkey added',
    action: 'customer.passkey_added',
    mail: 'passkey-added',
  },
  'passkey.removed': {
    cause: 'a passkey was removed, by the customer or through the API',
    data,
    example: [at.factorRemoved, example],
    timeline: 'security',
    label: 'Passkey removed',
    action: 'customer.passkey_removed',
    mail: 'passkey-removed',
  },
  'passkey.counter_anomaly': {
    cause:
      'the signature counter of a passkey did not increase, so the passkey may have been copied. The sign-in was rejected',
    data,
    example: [usedAt, { ...example, passkey: { ...passkey, lastUsedAt: usedAt } }],
    timeline: 'sign_in',
    label: 'Passkey rejected: it may have been copied',
  },
});

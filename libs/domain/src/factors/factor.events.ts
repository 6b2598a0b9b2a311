import { customerAfterEmailChange, exampleTimes as at } from '../customers/customer-examples.js';
import { declareEvents, ref } from '../events/event-declaration.js';
import { exampleId, exampleTime } from '../events/event-example.js';
import { nullable, object, openEnum, time, uuid } from '../values/json-schema.js';
import { factorTypes } from './factor.js';

export const factorResources = {
  factor: object(
    {
      id: uuid,
      type: openEnum('Type of the factor', ...factorTypes),
      createdAt: time,
      lastUsedAt: nullable(time),
    },
    'A second factor of a customer',
  ),
};

const customer = ref('customer');
const factor = ref('factor');

const example = {
  customer: customerAfterEmailChange,
  factor: {
    id: exampleId(at.factorAdded, '4c71e8d9a0f6'),
    type: 'totp',
    createdAt: at.factorAdded,
    lastUsedAt: at.factorAdded,
  },
};

export const factorEvents = declareEvents({
  'factor.added': {
    cause: 'a customer enrolled a second factor',
    data: { customer, factor },
    example: [at.factorAdded, example],
    timeline: 'security',
    label: 'Authenticator added',
    action: 'customer.factor_added',
    mail: 'factor-added',
  },
  'factor.removed': {
    cause: 'a second factor was removed, by the customer or through the API',
    data: { customer, factor },
    example: [at.factorRemoved, example],
    timeline: 'security',
    label: 'Authenticator removed',
    action: 'customer.factor_removed',
    mail: 'factor-removed',
  },
});

export const recoveryCodeEvents = declareEvents({
  'recovery_codes.generated': {
    cause:
      'a customer received new recovery codes, because they added a second factor and had no codes, or because they requested new ones',
    data: { customer },
    example: [at.factorAdded, { customer: customerAfterEmailChange }],
    timeline: 'security',
    label: 'Recovery codes generated',
    action: 'customer.recovery_codes_generated',
  },
  'recovery_codes.used': {
    cause: 'a customer used a recovery code in place of a second factor',
    data: { customer },
    example: [exampleTime('14:20:31.662'), { customer: customerAfterEmailChange }],
    timeline: 'sign_in',
    label: 'Recovery code used',
    mail: 'recovery-code-used',
  },
});

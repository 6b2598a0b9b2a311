import { customerMfaPolicies } from '@gatehouse/domain';
import { CheckedField } from './fields.js';

/** Whether a customer must use a second factor. */
export const CustomerMfaField = (): PropertyDecorator =>
  CheckedField({
    description:
      'Whether the customer must use a second factor. `inherit`: as the project setting `mfa` specifies',
    optional: true,
    values: customerMfaPolicies,
    isValid: (text) => (customerMfaPolicies as readonly string[]).includes(text),
    message: `$property must be ${customerMfaPolicies.join(', ')}`,
  });

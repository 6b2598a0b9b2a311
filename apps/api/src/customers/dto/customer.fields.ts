import { customerMfaPolicies } from '@gatehouse/domain';
import { CheckedField, LocaleField, TextField } from '../../http/input/fields.js';
import { NameField } from '../../http/input/name-fields.js';

/** The fields that customers set themselves, and that secret keys and imports set for them. */
export class CustomerProfileFields {
  @NameField({ description: 'Given name', example: 'Ada' }) firstName?: string | null;
  @NameField({ description: 'Family name', example: 'Lovelace' }) lastName?: string | null;
  @LocaleField({ description: 'Preferred language, as a BCP 47 tag' })
  locale?: string | null;
}

/** A customer's id in the caller's system. */
export const ExternalIdField = (): PropertyDecorator =>
  TextField({
    description: 'Id of the customer in your system, unique in the project',
    optional: true,
    nullable: true,
    minLength: 1,
    maxLength: 255,
  });

/** The policy that determines whether a customer must use a second factor. */
export const CustomerMfaField = (): PropertyDecorator =>
  CheckedField({
    description:
      'Whether the customer must use a second factor. `inherit`: as the project setting `mfa` specifies',
    optional: true,
    values: customerMfaPolicies,
    isValid: (text) => (customerMfaPolicies as readonly string[]).includes(text),
    message: `$property must be ${customerMfaPolicies.join(', ')}`,
  });

/** The reason for a support action. */
export const ReasonField = (description: string, { optional = false } = {}): PropertyDecorator =>
  TextField({
    optional,
    description: `${description}. Recorded in the audit log, so it must not contain personal data`,
    example: 'Ticket 4711',
    minLength: 1,
    maxLength: 500,
  });

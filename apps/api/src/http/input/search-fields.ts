import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';
import { canonicalName, containsSecret, isUuid } from '@gatehouse/domain';
import { CheckedField, TextField } from './fields.js';

/** Rejects secrets in a query parameter, because queries appear in proxy logs and browser histories. */
export const RejectSecrets = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'noSecret',
      validator: { validate: (value: unknown) => typeof value !== 'string' || !containsSecret(value) },
    },
    { message: '$property must not contain a secret. To search for a key, use its first eight characters' },
  );

/** Converts a search string to the form of the names that it is compared with. */
export const CanonicalSearchText = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? canonicalName(value) : value));

/** A search term that an operator types or pastes. */
export const SearchTextField =
  (description: string): PropertyDecorator =>
  (target, property) => {
    CanonicalSearchText()(target, property);
    RejectSecrets()(target, property);
    TextField({
      description: `${description}. If nothing matches, the list is empty`,
      optional: true,
      minLength: 1,
      maxLength: 2_048,
    })(target, property);
  };

/** A customer id in a query. */
export const CustomerIdField = (): PropertyDecorator =>
  CheckedField({
    description: 'Only records of this customer',
    optional: true,
    isValid: isUuid,
    message: '$property must be a UUID',
  });

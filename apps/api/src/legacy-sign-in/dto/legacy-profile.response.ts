import { Transform } from 'class-transformer';
import { readPersonName } from '@gatehouse/domain';
import { CustomerProfileFields, ExternalIdField } from '../../customers/dto/customer.fields.js';
import { BooleanField, EmailField, MetadataField } from '../../http/input/fields.js';

/** Leaves out an invalid name, which must not prevent a customer with the correct password from signing in. */
const ReadPersonName = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => readPersonName(value));

/** A customer as the previous system returns them at their first sign-in. */
export class LegacyProfile extends CustomerProfileFields {
  @ReadPersonName() override firstName?: string | null;
  @ReadPersonName() override lastName?: string | null;
  @EmailField() email!: string;
  @ExternalIdField() externalId?: string | null;
  @Transform(({ value }: { value: unknown }) => parseBoolean(value))
  @BooleanField({ description: 'Default: false', optional: true })
  emailVerified?: boolean;

  @MetadataField({ description: 'Readable only with a secret key' }) metadata?: Record<string, unknown>;
  @MetadataField({ description: 'Also readable by the customer' }) publicMetadata?: Record<string, unknown>;
}

/** Other systems may send booleans as strings, and null instead of omitting a field. */
function parseBoolean(value: unknown): unknown {
  if (value === null) return undefined;
  return value === 'true' || value === 'false' ? value === 'true' : value;
}

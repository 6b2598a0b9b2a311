import { CustomerProfileFields } from '../../http/customer-profile-fields.js';
import { BooleanField, EmailField, ExternalIdField, MetadataField } from '../../http/fields.js';

/** A customer as another system returns them at their first sign-in. */
export class LegacyProfile extends CustomerProfileFields {
  @EmailField() email!: string;
  @ExternalIdField() externalId?: string | null;
  @BooleanField({ description: 'Default: false', optional: true }) emailVerified?: boolean;
  @MetadataField({ description: 'Readable only with a secret key' }) metadata?: Record<string, unknown>;
  @MetadataField({ description: 'Also readable by the customer' }) publicMetadata?: Record<string, unknown>;
}

import type { CustomerMfaPolicy } from '@gatehouse/domain';
import { CustomerMfaField, CustomerProfileFields, ExternalIdField } from './customer.fields.js';
import { BooleanField, EmailField, MetadataPatchField } from '../../http/input/fields.js';

/**
 * The fields that secret keys can change, as a merge patch (RFC 7396). A field that is missing stays
 * unchanged.
 */
export class UpdateCustomerRequest extends CustomerProfileFields {
  @EmailField({
    optional: true,
    description:
      'A new address takes effect without confirmation. It is not verified unless `emailVerified` is true in the same request',
  })
  email?: string;

  @BooleanField({
    description: 'True if the customer has proven ownership of the email address',
    optional: true,
  })
  emailVerified?: boolean;

  @ExternalIdField() externalId?: string | null;

  @CustomerMfaField() mfa?: CustomerMfaPolicy;

  @MetadataPatchField({
    description: 'Readable only with a secret key. Merged recursively (RFC 7396); null removes a key',
  })
  metadata?: Record<string, unknown> | null;

  @MetadataPatchField({
    description: 'Also readable by the customer. Merged recursively (RFC 7396); null removes a key',
  })
  publicMetadata?: Record<string, unknown> | null;
}

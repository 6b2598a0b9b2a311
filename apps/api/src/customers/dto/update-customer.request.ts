import { BooleanField, EmailField, ExternalIdField, MetadataPatchField } from '../../http/fields.js';
import { UpdateMeRequest } from './customer.request.js';

/** What a server may change of a customer, as a merge patch (RFC 7396): what is left out stays. */
export class UpdateCustomerRequest extends UpdateMeRequest {
  @EmailField({
    optional: true,
    description:
      'A new address is not asked for confirmation, and counts as not verified unless emailVerified says so',
  })
  email?: string;

  @BooleanField({ description: 'Whether they have proved to own the address', optional: true })
  emailVerified?: boolean;

  @ExternalIdField() externalId?: string | null;

  @MetadataPatchField({ description: 'For secret keys only. Merged at every level; null removes a key' })
  metadata?: Record<string, unknown> | null;

  @MetadataPatchField({ description: 'The customer may read it. Merged likewise' })
  publicMetadata?: Record<string, unknown> | null;
}

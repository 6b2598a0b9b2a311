import { CheckedField, PublicIdField, TextField } from '../../http/input/fields.js';
import { PageQuery } from '../../http/lists/paging.js';
import { targetUrlSchema } from '../../http/input/text-schemas.js';
import { signingSecret } from './webhook-endpoint.fields.js';

export class ReplayRequest {
  @TextField({
    description: 'URL that receives the delivery as a POST request. The rules for endpoint URLs apply',
    example: 'https://debug.example.com/webhooks',
    maxLength: targetUrlSchema.maxLength,
    schema: targetUrlSchema,
  })
  url!: string;

  @CheckedField({
    description:
      'Secret that signs the request, in place of the secret of the endpoint: whsec_ and 24 to 64 bytes in base64. It is stored encrypted until the request has been sent, and never returned',
    ...signingSecret,
  })
  secret!: string;

  @TextField({ description: 'Reason for the audit log', optional: true, nullable: true, maxLength: 500 })
  reason?: string | null;
}

export class ListReplaysQuery extends PageQuery {
  @PublicIdField('delivery') delivery_id?: string;
  @PublicIdField('endpoint') endpoint_id?: string;
}

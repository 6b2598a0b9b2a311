import { isReturnUrl, isUuid } from '#domain';
import { CheckedField } from '../../http/fields.js';

export class BillingPortalRequest {
  @CheckedField({
    description:
      "Where the portal leads back to: an absolute https URL (outside production also http of this machine), its origin one of the organization's billingReturnOrigins if there are any",
    example: 'https://app.example.com/billing',
    maxLength: 2048,
    isValid: isReturnUrl,
    message: '$property must be an absolute https URL such as https://app.example.com/billing',
  })
  returnUrl!: string;

  @CheckedField({
    description: "An organization within the key's reach; left out: that of the key",
    optional: true,
    isValid: isUuid,
    message: '$property must be a UUID',
  })
  organizationId?: string;
}

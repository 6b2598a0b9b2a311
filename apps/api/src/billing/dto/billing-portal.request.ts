import { isReturnUrl, isUuid } from '#domain';
import { CheckedField } from '../../http/fields.js';

export class BillingPortalRequest {
  @CheckedField({
    description:
      'URL that the portal links back to: an absolute https URL, or outside production also an http URL of localhost. If the organization has billingReturnOrigins, the origin must be one of them',
    example: 'https://app.example.com/billing',
    maxLength: 2048,
    isValid: isReturnUrl,
    message: '$property must be an absolute https URL such as https://app.example.com/billing',
  })
  returnUrl!: string;

  @CheckedField({
    description: 'Organization that the key can access. Default: the organization of the key',
    optional: true,
    isValid: isUuid,
    message: '$property must be a UUID',
  })
  organizationId?: string;
}

import { isReturnUrl, isUuid } from '@gatehouse/domain';
import { CheckedField } from '../../http/input/fields.js';

export class BillingPortalRequest {
  @CheckedField({
    description:
      'Absolute https URL that the portal links back to. Outside production, an http URL on localhost is also allowed. If the organization has billingReturnOrigins, the origin must be one of them',
    example: 'https://app.example.com/billing',
    maxLength: 2048,
    isValid: isReturnUrl,
    message: '$property must be an absolute https URL such as https://app.example.com/billing',
  })
  returnUrl!: string;

  @CheckedField({
    description:
      'Organization whose portal is opened. The key must have access to it. Default: the organization of the key',
    optional: true,
    isValid: isUuid,
    message: '$property must be a UUID',
  })
  organizationId?: string;
}

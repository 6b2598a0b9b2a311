import { ApiProperty } from '@nestjs/swagger';
import type { PortalSession } from '../billing-portal.js';

export class BillingPortalResponse {
  @ApiProperty({
    format: 'uri',
    description: 'URL to open in the browser. It grants access without a further sign-in',
  })
  url!: string;
  @ApiProperty({ format: 'date-time', description: 'Time by which the URL must be opened' })
  expiresAt!: string;

  static from({ url, expiresAt }: PortalSession): BillingPortalResponse {
    return { url, expiresAt: expiresAt.toISOString() };
  }
}

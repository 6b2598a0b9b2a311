import { ApiProperty } from '@nestjs/swagger';
import type { PortalSession } from '../billing-portal.js';

export class BillingPortalResponse {
  @ApiProperty({ format: 'uri', description: 'Send the browser there; lets in whoever has it' }) url!: string;
  @ApiProperty({ format: 'date-time', description: 'Until then it has to be opened' }) expiresAt!: string;

  static from({ url, expiresAt }: PortalSession): BillingPortalResponse {
    return { url, expiresAt: expiresAt.toISOString() };
  }
}

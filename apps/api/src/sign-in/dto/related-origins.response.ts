import { ApiProperty } from '@nestjs/swagger';

/** The pages that may use the passkeys of this host. */
export class RelatedOriginsResponse {
  @ApiProperty({ type: [String], example: ['https://app.example.com'] }) origins!: string[];
}

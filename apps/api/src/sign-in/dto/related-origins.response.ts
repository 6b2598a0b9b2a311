import { ApiProperty } from '@nestjs/swagger';

/** Pages that may use passkeys of this host. */
export class RelatedOriginsResponse {
  @ApiProperty({ type: [String], example: ['https://app.example.com'] }) origins!: string[];
}

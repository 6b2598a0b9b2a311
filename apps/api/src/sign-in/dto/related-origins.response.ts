import { ApiProperty } from '@nestjs/swagger';

/** The pages that may use this host's passkeys. */
export class RelatedOriginsResponse {
  @ApiProperty({ type: [String], example: ['https://app.example.com'] }) origins!: string[];
}

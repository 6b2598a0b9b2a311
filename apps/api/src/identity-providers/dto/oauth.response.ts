import { ApiProperty } from '@nestjs/swagger';

/** The provider's URL at which a flow continues. */
export class OAuthUrlResponse {
  @ApiProperty({
    format: 'uri',
    description: 'URL of the identity provider. The browser must open it within ten minutes',
    example: 'https://accounts.google.com/o/oauth2/v2/auth?client_id=shop&response_type=code',
  })
  url!: string;
}

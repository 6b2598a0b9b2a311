import { ApiProperty } from '@nestjs/swagger';

/** What a customer holds of a session. */
export class TokensResponse {
  @ApiProperty({ description: 'JWT (ES256), for Authorization: Bearer' }) accessToken!: string;
  @ApiProperty({ description: 'Opaque; every refresh replaces it' }) refreshToken!: string;
  @ApiProperty({ description: 'Lifetime of the access token in seconds', example: 3600 }) expiresIn!: number;
}

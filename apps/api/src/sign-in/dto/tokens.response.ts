import { ApiProperty } from '@nestjs/swagger';

/** A new access token for an existing session. */
export class AccessTokenResponse {
  @ApiProperty({
    description: 'JWT (ES256 or RS256) for the `Authorization: Bearer` header',
    example: 'eyJhbGciOiJFUzI1NiIs…',
  })
  accessToken!: string;
  @ApiProperty({ description: 'Lifetime of the access token in seconds', example: 3600 }) expiresIn!: number;
}

/** A session's tokens. */
export class TokensResponse extends AccessTokenResponse {
  @ApiProperty({ description: 'Opaque token. Each refresh replaces it', example: 'AZqizX0ecACAAAAAAAAA…' })
  refreshToken!: string;
}

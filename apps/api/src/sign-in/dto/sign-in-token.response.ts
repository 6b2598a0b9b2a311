import { ApiProperty } from '@nestjs/swagger';

/** A new sign-in token. */
export class SignInTokenResponse {
  @ApiProperty({
    description: 'Returned only in this response',
    example: 'kX3vQ0sYtJ2c9wP7hB1nR5uE8zL4aM6d…',
  })
  token!: string;
  @ApiProperty({ format: 'date-time' }) expiresAt!: string;
}

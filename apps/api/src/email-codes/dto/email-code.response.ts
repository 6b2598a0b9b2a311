import { ApiProperty } from '@nestjs/swagger';

/** A challenge that a code from an email completes. */
export class EmailCodeChallenge {
  @ApiProperty({
    description: 'Token to send together with the code. It is useless without the code',
    example: 'kX3vQ0sYtJ2c9wP7hB1nR5uE8zL4aM6d…',
  })
  token!: string;
  @ApiProperty({ format: 'date-time' }) expiresAt!: string;
}

export class EmailCodeResponse {
  @ApiProperty({ type: EmailCodeChallenge }) challenge!: EmailCodeChallenge;
}

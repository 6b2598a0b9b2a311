import { ApiProperty } from '@nestjs/swagger';
import { CustomerSummary } from '../../customers/dto/customer.response.js';
import { TokensResponse } from '../../sessions/dto/tokens.response.js';

/** The answer of register, login and refresh. */
export class AuthResponse {
  @ApiProperty({
    type: TokensResponse,
    nullable: true,
    description: 'null if the project requires a verified email address and this one is not verified',
  })
  tokens!: TokensResponse | null;

  @ApiProperty({ type: CustomerSummary }) customer!: CustomerSummary;
}

export class VerifiedCustomer {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'email' }) email!: string;
  @ApiProperty({ enum: [true] }) emailVerified!: true;
}

/** The answer of verify-email. */
export class VerifyEmailResponse {
  @ApiProperty({ type: VerifiedCustomer }) customer!: VerifiedCustomer;
}

/** The answer of confirm-email-change. */
export class EmailChangeResponse {
  @ApiProperty({
    enum: ['pending', 'changed'],
    description: '`pending` until both addresses are confirmed',
  })
  status!: 'pending' | 'changed';
}

import { ApiProperty } from '@nestjs/swagger';
import { CustomerSummary } from '../../customers/dto/customer.response.js';

export class TokensResponse {
  @ApiProperty({ description: 'JWT (ES256), for Authorization: Bearer' }) accessToken!: string;
  @ApiProperty({ description: 'Opaque; every refresh replaces it' }) refreshToken!: string;
  @ApiProperty({ description: 'Lifetime of the access token in seconds', example: 3600 }) expiresIn!: number;
}

/** The answer of register, login and refresh. */
export class AuthResponse {
  @ApiProperty({
    type: TokensResponse,
    nullable: true,
    description: 'null until the address is verified, where the project requires that',
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

import { ApiProperty } from '@nestjs/swagger';
import { CustomerSummary } from '../../customers/dto/customer.response.js';
import { TokensResponse } from './tokens.response.js';

/** The response to register, login and refresh. */
export class AuthResponse {
  @ApiProperty({
    type: TokensResponse,
    nullable: true,
    description: 'null if the project requires a verified email address and this one is not verified',
  })
  tokens!: TokensResponse | null;

  @ApiProperty({ type: CustomerSummary }) customer!: CustomerSummary;
}

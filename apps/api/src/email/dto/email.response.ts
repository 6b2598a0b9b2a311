import { ApiProperty } from '@nestjs/swagger';

export class VerifiedCustomer {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'email' }) email!: string;
  @ApiProperty({ enum: [true] }) emailVerified!: true;
}

/** The response of verify-email and of disown. */
export class VerifyEmailResponse {
  @ApiProperty({ type: VerifiedCustomer }) customer!: VerifiedCustomer;
}

/** The response of confirm-email-change. */
export class EmailChangeResponse {
  @ApiProperty({
    enum: ['pending', 'changed'],
    description: '`pending` until both addresses are confirmed',
  })
  status!: 'pending' | 'changed';
}

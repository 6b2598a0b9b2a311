import { ApiProperty } from '@nestjs/swagger';

export class VerifiedCustomer {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'email' }) email!: string;
  @ApiProperty({ enum: [true] }) emailVerified!: true;
}

/** The verify-email and disown responses. */
export class VerifyEmailResponse {
  @ApiProperty({ type: VerifiedCustomer }) customer!: VerifiedCustomer;
}

/** The confirm-email-change response. */
export class EmailChangeResponse {
  @ApiProperty({
    enum: ['pending', 'changed'],
    description: '`pending` until both addresses are confirmed',
  })
  status!: 'pending' | 'changed';
}

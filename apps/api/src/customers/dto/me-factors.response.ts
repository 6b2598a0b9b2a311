import { ApiProperty } from '@nestjs/swagger';
import { TotpSecretResponse } from '../../factors/dto/factors.response.js';

/** An authenticator that has yet to be confirmed. */
export class NewTotpFactorResponse extends TotpSecretResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
}

/** A factor that has just been added. */
export class ConfirmedFactorResponse {
  @ApiProperty({
    type: [String],
    nullable: true,
    description: 'Recovery codes, returned only once. null: the customer already had a factor',
  })
  recoveryCodes!: string[] | null;
}

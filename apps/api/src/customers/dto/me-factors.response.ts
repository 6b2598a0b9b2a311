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
    description: 'Recovery codes if this is the first factor, otherwise null. They are not shown again',
  })
  recoveryCodes!: string[] | null;
}

import { ApiProperty } from '@nestjs/swagger';
import { PasskeyResponse } from '../../passkeys/dto/passkey.response.js';

/** A passkey that has just been added. */
export class AddedPasskeyResponse {
  @ApiProperty({ type: PasskeyResponse }) passkey!: PasskeyResponse;
  @ApiProperty({
    type: [String],
    nullable: true,
    description:
      'New recovery codes, returned only once. Null if the customer already has some, or if the project has no second factors',
  })
  recoveryCodes!: string[] | null;
}

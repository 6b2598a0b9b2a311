import { ApiProperty } from '@nestjs/swagger';
import type { Identity } from '@gatehouse/persistence';
import { IdentityResponse } from '../../identities/dto/identity.response.js';

/** An identity, as returned to operators. */
export class OperatorIdentityResponse extends IdentityResponse {
  @ApiProperty({ description: 'Name of the identity provider', example: 'Google' }) providerName!: string;

  static override from(identity: Identity): OperatorIdentityResponse {
    return { ...IdentityResponse.from(identity), providerName: identity.providerName };
  }
}

import { ApiProperty } from '@nestjs/swagger';
import {
  challengeKinds,
  challengeMethods,
  type ChallengeKind,
  type ChallengeMethod,
} from '@gatehouse/domain';
import { CustomerSummary } from '../../customers/dto/customer.response.js';
import { TokensResponse } from './tokens.response.js';

/** A sign-in that lacks a second factor. */
export class ChallengeResponse {
  @ApiProperty({ description: 'Opaque token for the routes that complete the challenge' }) token!: string;
  @ApiProperty({
    enum: challengeKinds,
    description:
      '`second_factor`: the customer proves a second factor. `enroll_factor`: the customer adds the first one, because the project requires it',
  })
  kind!: ChallengeKind;
  @ApiProperty({ enum: challengeMethods, isArray: true, description: 'How the challenge can be completed' })
  methods!: ChallengeMethod[];
  @ApiProperty({ format: 'date-time' }) expiresAt!: string;
}

/** The response to a refresh. */
export class RefreshResponse {
  @ApiProperty({ type: TokensResponse }) tokens!: TokensResponse;
  @ApiProperty({ type: CustomerSummary }) customer!: CustomerSummary;
}

/** The response to a registration or a sign-in. */
export class AuthResponse {
  @ApiProperty({
    type: TokensResponse,
    nullable: true,
    description:
      'Null if there is a challenge, or if the project requires a verified email address and this one is not verified',
  })
  tokens!: TokensResponse | null;

  @ApiProperty({ type: CustomerSummary, nullable: true, description: 'Null if there is a challenge' })
  customer!: CustomerSummary | null;

  @ApiProperty({
    type: ChallengeResponse,
    nullable: true,
    description: 'The second step that the sign-in requires; otherwise null',
  })
  challenge!: ChallengeResponse | null;
}

/** The response to a completed challenge. */
export class CompletedChallengeResponse extends AuthResponse {
  @ApiProperty({
    type: [String],
    nullable: true,
    description: 'The recovery codes of a customer who has added the first factor. They are not shown again',
  })
  recoveryCodes!: string[] | null;
}

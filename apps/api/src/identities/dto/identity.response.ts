import { ApiProperty } from '@nestjs/swagger';
import { identityProviderTypes, type IdentityProviderType } from '@gatehouse/domain';
import type { Identity } from '@gatehouse/persistence';
import { slugSchema } from '../../http/input/text-schemas.js';

/** A customer's account with an identity provider. Events contain the same object. */
export class IdentityResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ ...slugSchema, description: 'Slug of the identity provider', example: 'google' })
  provider!: string;
  @ApiProperty({ enum: identityProviderTypes, description: 'Type of the identity provider' })
  type!: IdentityProviderType;
  @ApiProperty({
    description: 'Identifies the account at the identity provider',
    example: '110169484474386276334',
  })
  subject!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Email address from the identity provider at the last sign-in. It does not identify the account',
    example: 'ada@example.com',
  })
  email!: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) lastUsedAt!: string | null;

  static from({ id, provider, type, subject, email, createdAt, lastUsedAt }: Identity): IdentityResponse {
    return {
      id,
      provider,
      type,
      subject,
      email,
      createdAt: createdAt.toISOString(),
      lastUsedAt: lastUsedAt?.toISOString() ?? null,
    };
  }
}

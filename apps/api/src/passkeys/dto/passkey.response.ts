import { ApiProperty } from '@nestjs/swagger';
import type { Passkey } from '@gatehouse/persistence';

/** A customer's passkey, as returned by the API and in events. */
export class PasskeyResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'Firefox on macOS' }) name!: string;
  @ApiProperty({ format: 'date-time' }) createdAt!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) lastUsedAt!: string | null;

  static from({ id, name, createdAt, lastUsedAt }: Passkey): PasskeyResponse {
    return {
      id,
      name,
      createdAt: createdAt.toISOString(),
      lastUsedAt: lastUsedAt?.toISOString() ?? null,
    };
  }
}

const optionsOf = (method: string) => ({
  type: 'object' as const,
  additionalProperties: true,
  description: `Argument of \`PublicKeyCredential.${method}()\``,
});

/** Options for the browser to create a passkey. */
export class PasskeyCreationOptionsResponse {
  @ApiProperty(optionsOf('parseCreationOptionsFromJSON')) options!: object;
}

/** Options for the browser to use a passkey. */
export class PasskeyRequestOptionsResponse {
  @ApiProperty(optionsOf('parseRequestOptionsFromJSON')) options!: object;
}

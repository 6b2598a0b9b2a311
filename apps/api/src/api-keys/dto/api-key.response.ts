import { ApiProperty } from '@nestjs/swagger';
import { apiKeyResource, scopes, type ApiKey, type Scope } from '#domain';

const nullableTime = { type: String, format: 'date-time', nullable: true };

/** An API key as secret keys see it, and as events carry it. */
export class ApiKeyResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'uuid' }) projectId!: string;
  @ApiProperty({ example: 'Order service' }) name!: string;
  @ApiProperty({ enum: ['secret', 'publishable'] }) type!: string;
  @ApiProperty({ enum: ['project', 'organization'] }) access!: string;
  @ApiProperty({ enum: scopes, isArray: true }) scopes!: Scope[];
  @ApiProperty({ description: 'The first eight characters of the value', example: 'sk_003aU' })
  prefix!: string;
  @ApiProperty({ description: 'The last four', example: 'INfG' }) last4!: string;
  @ApiProperty(nullableTime) expiresAt!: string | null;
  @ApiProperty({ ...nullableTime, description: 'To the minute' }) lastUsedAt!: string | null;
  @ApiProperty(nullableTime) revokedAt!: string | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true, description: 'The key whose place it took' })
  rotatedFrom!: string | null;

  @ApiProperty({ format: 'date-time' }) createdAt!: string;

  static from(key: ApiKey): ApiKeyResponse {
    return apiKeyResource(key);
  }
}

/** The answer of create and rotate: the only ones that ever show the value. */
export class CreatedApiKeyResponse extends ApiKeyResponse {
  @ApiProperty({ description: 'The value of the key; shown once', example: 'sk_…' }) key!: string;

  static of({ apiKey, value }: { apiKey: ApiKey; value: string }): CreatedApiKeyResponse {
    return { ...ApiKeyResponse.from(apiKey), key: value };
  }
}

import { ApiProperty } from '@nestjs/swagger';
import { apiKeyResource, scopes, secretKeyLimit, type ApiKey, type Scope } from '@gatehouse/domain';

const nullableTime = { type: String, format: 'date-time', nullable: true };

/** An API key, as returned to secret keys and as included in events. */
export class ApiKeyResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'uuid' }) projectId!: string;
  @ApiProperty({ example: 'Order service' }) name!: string;
  @ApiProperty({ enum: ['secret', 'publishable'] }) type!: string;
  @ApiProperty({ enum: ['project', 'organization'] }) access!: string;
  @ApiProperty({ enum: scopes, isArray: true }) scopes!: Scope[];
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: `Requests per second that the key may send. Null means ${secretKeyLimit.quota}. A publishable key has no such limit`,
    example: null,
  })
  rateLimit!: number | null;
  @ApiProperty({ description: 'First eight characters of the value', example: 'sk_003aU' })
  prefix!: string;
  @ApiProperty({ description: 'Last four characters of the value', example: 'INfG' }) last4!: string;
  @ApiProperty(nullableTime) expiresAt!: string | null;
  @ApiProperty({ ...nullableTime, description: 'Time of the last use, to the minute' }) lastUsedAt!:
    | string
    | null;
  @ApiProperty(nullableTime) revokedAt!: string | null;

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'Id of the key that this key replaced in a rotation',
  })
  rotatedFrom!: string | null;

  @ApiProperty({ format: 'date-time' }) createdAt!: string;

  static from(key: ApiKey): ApiKeyResponse {
    return apiKeyResource(key);
  }
}

/** The response to creating or rotating a key. Only these responses contain the value. */
export class CreatedApiKeyResponse extends ApiKeyResponse {
  @ApiProperty({ description: 'Value of the key. Returned only once', example: 'sk_…' }) key!: string;

  static fromCreated({ apiKey, value }: { apiKey: ApiKey; value: string }): CreatedApiKeyResponse {
    return { ...ApiKeyResponse.from(apiKey), key: value };
  }
}

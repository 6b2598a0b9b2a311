import { ApiProperty } from '@nestjs/swagger';
import { endpointDisabledReasons, endpointResource, type WebhookEndpoint } from '@gatehouse/domain';
import { publicIdSchema, urlSchema } from '../../http/input/text-schemas.js';

/** A webhook endpoint (contract, section 4). */
export class EndpointResponse {
  @ApiProperty(publicIdSchema('endpoint')) id!: string;
  @ApiProperty({ enum: ['project', 'organization'] }) level!: string;
  @ApiProperty({ type: String, format: 'uuid', nullable: true }) project_id!: string | null;
  @ApiProperty({
    description: 'Name of the endpoint. Default: the host of its URL',
    example: 'Order service',
  })
  name!: string;

  @ApiProperty({ ...urlSchema, example: 'https://app.example.com/webhooks' }) url!: string;
  @ApiProperty({ type: String, nullable: true }) description!: string | null;
  @ApiProperty({ type: [String], example: ['*'] }) events!: string[];
  @ApiProperty({ enum: ['enabled', 'disabled'] }) status!: string;

  @ApiProperty({
    enum: endpointDisabledReasons,
    nullable: true,
    description: '`failing`: Gatehouse disabled the endpoint because all attempts had failed for three days',
  })
  disabled_reason!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Custom headers. Each value is replaced by `…`',
    example: { authorization: '…' },
  })
  headers!: Record<string, string>;

  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ format: 'date-time' }) updated_at!: string;

  static from(endpoint: WebhookEndpoint): EndpointResponse {
    return endpointResource(endpoint);
  }
}

/** A webhook endpoint, as returned to operators, with its organization. */
export class OperatorEndpointResponse extends EndpointResponse {
  @ApiProperty({ format: 'uuid' }) organization_id!: string;

  static override from(endpoint: WebhookEndpoint): OperatorEndpointResponse {
    return { ...EndpointResponse.from(endpoint), organization_id: endpoint.organizationId };
  }
}

/** The response after an endpoint is created or its secret is rotated. No other response contains the secret. */
export class CreatedEndpointResponse extends EndpointResponse {
  @ApiProperty({ description: 'Signing secret. Returned only once', example: 'whsec_…' }) secret!: string;

  static fromCreated({
    endpoint,
    secret,
  }: {
    endpoint: WebhookEndpoint;
    secret: string;
  }): CreatedEndpointResponse {
    return { ...EndpointResponse.from(endpoint), secret };
  }
}

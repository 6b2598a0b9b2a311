import { ApiProperty } from '@nestjs/swagger';
import { publicId } from '#domain';
import type { WebhookEndpoint } from '#persistence';

/** A webhook endpoint (contract, section 4). */
export class EndpointResponse {
  @ApiProperty({ example: 'ep_019aa2c0-7d1e-7000-8000-000000000000' }) id!: string;
  @ApiProperty({ enum: ['project', 'organization'] }) level!: string;
  @ApiProperty({ type: String, format: 'uuid', nullable: true }) project_id!: string | null;
  @ApiProperty({ example: 'https://app.example.com/webhooks' }) url!: string;
  @ApiProperty({ type: String, nullable: true }) description!: string | null;
  @ApiProperty({ type: [String], example: ['*'] }) events!: string[];
  @ApiProperty({ enum: ['enabled', 'disabled'] }) status!: string;
  @ApiProperty({ type: String, nullable: true }) disabled_reason!: string | null;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } }) headers!: Record<string, string>;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ format: 'date-time' }) updated_at!: string;

  static from(endpoint: WebhookEndpoint): EndpointResponse {
    return {
      id: publicId('endpoint', endpoint.id),
      level: endpoint.level,
      project_id: endpoint.projectId,
      url: endpoint.url,
      description: endpoint.description,
      events: endpoint.events,
      status: endpoint.status,
      disabled_reason: endpoint.disabledReason,
      headers: {},
      created_at: endpoint.createdAt.toISOString(),
      updated_at: endpoint.updatedAt.toISOString(),
    };
  }
}

/** The answer of create: the only one that ever shows the secret. */
export class CreatedEndpointResponse extends EndpointResponse {
  @ApiProperty({ description: 'Signing secret; shown once', example: 'whsec_…' }) secret!: string;
}

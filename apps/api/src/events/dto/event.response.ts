import { ApiProperty } from '@nestjs/swagger';
import { eventTypes } from '@gatehouse/domain';
import type { FeedEvent } from '@gatehouse/persistence';
import { publicIdSchema } from '../../http/text-schemas.js';

/** An event, identical to the body of its webhooks. */
export class EventResponse {
  @ApiProperty(publicIdSchema('event')) id!: string;
  @ApiProperty({ enum: Object.keys(eventTypes), example: 'customer.created' }) type!: string;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ type: String, format: 'uuid', nullable: true }) project_id!: string | null;
  @ApiProperty({ format: 'uuid' }) organization_id!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Data of the event. `GET /v1/webhooks/event-types` returns its schema for each type',
  })
  data!: Record<string, unknown>;

  @ApiProperty({
    required: false,
    description: 'Present and true if the data was erased because the customer of the event was deleted',
  })
  erased?: true;

  static from({ body }: FeedEvent): EventResponse {
    return JSON.parse(body) as EventResponse;
  }
}

/** An event type, with the schema of its body. */
export class EventTypeResponse {
  @ApiProperty({ example: 'customer.created' }) type!: string;
  @ApiProperty({ description: 'Condition under which the event is emitted' }) description!: string;
  @ApiProperty({
    description:
      'True if `*` does not include this type: an endpoint receives it only if its `events` contain the type or its resource, such as `customer.*`',
  })
  named_only!: boolean;
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'JSON Schema 2020-12 of the body' })
  schema!: Record<string, unknown>;
  @ApiProperty({ type: 'object', additionalProperties: true }) example!: Record<string, unknown>;
}

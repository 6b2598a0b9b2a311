import { ApiProperty } from '@nestjs/swagger';
import {
  customEventTypePattern,
  eventTypes,
  MAX_CUSTOM_EVENT_TYPE_LENGTH,
  publicId,
} from '@gatehouse/domain';
import type { FeedEvent } from '@gatehouse/persistence';
import { EXAMPLE_ID, publicIdSchema } from '../../http/input/text-schemas.js';

/** An event, identical to the body of its webhooks. */
export class EventResponse {
  @ApiProperty(publicIdSchema('event')) id!: string;
  @ApiProperty({
    type: String,
    anyOf: [
      { type: 'string', enum: Object.keys(eventTypes) },
      {
        type: 'string',
        pattern: customEventTypePattern.source,
        maxLength: MAX_CUSTOM_EVENT_TYPE_LENGTH,
      },
    ],
    description: 'A type from `GET /v1/webhooks/event-types`, or a custom type',
    example: 'customer.created',
  })
  type!: string;

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

  static fromCustomEvent(event: {
    id: string;
    type: string;
    createdAt: Date;
    projectId: string;
    organizationId: string;
    data: Record<string, unknown>;
  }): EventResponse {
    return {
      id: publicId('event', event.id),
      type: event.type,
      created_at: event.createdAt.toISOString(),
      project_id: event.projectId,
      organization_id: event.organizationId,
      data: event.data,
    };
  }
}

/** An event in the feed. */
export class FeedEventResponse extends EventResponse {
  @ApiProperty({
    type: String,
    required: false,
    nullable: true,
    description:
      'With `include_body`: the exact bytes of the webhook body, which the signature covers. Null if the data was erased',
  })
  body?: string | null;

  static fromFeed(event: FeedEvent, withBody: boolean): FeedEventResponse {
    const response = EventResponse.from(event);
    return withBody ? { ...response, body: response.erased ? null : event.body } : response;
  }
}

/** An event type, or all custom types (`app.*`), with the body's schema. */
export class EventTypeResponse {
  @ApiProperty({ description: '`app.*` stands for all custom types', example: 'customer.created' })
  type!: string;

  @ApiProperty({
    description: 'Condition under which the event is emitted',
    example: 'A customer registered, or was created with a secret key',
  })
  description!: string;
  @ApiProperty({
    description:
      'True if `*` does not include this type: an endpoint receives it only if its `events` contain the type or its resource, such as `customer.*`',
  })
  named_only!: boolean;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'JSON Schema 2020-12 of the body',
    example: {
      type: 'object',
      required: ['id', 'type', 'created_at', 'project_id', 'organization_id', 'data'],
    },
  })
  schema!: Record<string, unknown>;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Example of the body',
    example: {
      id: publicId('event', EXAMPLE_ID),
      type: 'customer.created',
      created_at: '2026-01-01T00:00:00.000Z',
      project_id: EXAMPLE_ID,
      organization_id: EXAMPLE_ID,
      data: { customer: { id: EXAMPLE_ID, email: 'ada@example.com' } },
    },
  })
  example!: Record<string, unknown>;
}

import { ApiProperty } from '@nestjs/swagger';
import { attemptErrors, deliveryStates, publicId, type DeliveryState } from '@gatehouse/domain';
import type { Replay } from '@gatehouse/persistence';
import { findActorName, type ActorNameMap } from '../../audit/actor-names.service.js';
import { publicIdSchema, urlSchema } from '../../http/input/text-schemas.js';

/** A delivery that an operator has sent once to another URL. */
export class ReplayResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty(publicIdSchema('delivery')) delivery_id!: string;
  @ApiProperty(publicIdSchema('event')) event_id!: string;
  @ApiProperty({ example: 'customer.created' }) event!: string;
  @ApiProperty(publicIdSchema('endpoint')) endpoint_id!: string;
  @ApiProperty({ ...urlSchema, example: 'https://debug.example.com/webhooks' }) url!: string;
  @ApiProperty({
    enum: deliveryStates,
    description: '`cancelled`: the customer of the event was deleted before the request was sent',
  })
  state!: DeliveryState;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'HTTP status of the response. 0 if no response was received. Null if the request was not sent',
    example: 200,
  })
  http_status!: number | null;
  @ApiProperty({ enum: attemptErrors, nullable: true }) error!: string | null;
  @ApiProperty({ type: 'integer', nullable: true, example: 48 }) duration_ms!: number | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Beginning of the response body: at most 16 KiB of text',
    example: 'ok',
  })
  response_body!: string | null;
  @ApiProperty() created_by!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Email address of the operator. Null if the operator no longer exists',
  })
  created_by_name!: string | null;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) finished_at!: string | null;

  static withNames(replay: Replay, names: ActorNameMap): ReplayResponse {
    return {
      id: replay.id,
      delivery_id: publicId('delivery', replay.deliveryId),
      event_id: publicId('event', replay.eventId),
      event: replay.eventType,
      endpoint_id: publicId('endpoint', replay.endpointId),
      url: replay.url,
      state: replayState(replay),
      http_status: replay.httpStatus,
      error: replay.error,
      duration_ms: replay.durationMs,
      response_body: replay.responseBody,
      created_by: replay.createdBy,
      created_by_name: findActorName(names, replay.createdBy),
      created_at: replay.createdAt.toISOString(),
      finished_at: replay.finishedAt?.toISOString() ?? null,
    };
  }
}

function replayState({ finishedAt, success }: Replay): DeliveryState {
  if (!finishedAt) return 'pending';
  if (success === null) return 'cancelled';
  return success ? 'succeeded' : 'failed';
}

import { ApiProperty } from '@nestjs/swagger';
import {
  attemptErrors,
  deliveryCancelReasons,
  deliveryHeaders,
  deliveryResolutions,
  deliveryStates,
  endpointStatuses,
  hiddenHeaders,
  MAX_ATTEMPTS,
  publicId,
} from '@gatehouse/domain';
import type { AttemptRecord, Delivery, DeliverySummary, ListedDelivery } from '@gatehouse/persistence';
import { nullablePublicIdSchema, publicIdSchema, urlSchema } from '../../http/input/text-schemas.js';
import { endpointNameSchema } from './webhook-endpoint.fields.js';

/** An attempt. The specification (endpoint 13) calls this record a webhook delivery. */
export class AttemptResponse {
  @ApiProperty(publicIdSchema('attempt')) id!: string;
  @ApiProperty(publicIdSchema('endpoint')) endpoint_id!: string;
  @ApiProperty(endpointNameSchema) endpoint_name!: string;
  @ApiProperty({ example: 'customer.created' }) event!: string;
  @ApiProperty({ ...urlSchema, example: 'https://app.example.com/webhooks' }) target_url!: string;
  @ApiProperty({ description: 'HTTP status of the response. 0 if no response was received', example: 200 })
  http_status!: number;
  @ApiProperty({ example: true }) success!: boolean;
  @ApiProperty({ minimum: 1, maximum: MAX_ATTEMPTS }) attempt!: number;
  @ApiProperty({ enum: [MAX_ATTEMPTS] }) max_attempts!: number;
  @ApiProperty({ example: 48 }) duration_ms!: number;
  @ApiProperty({ description: 'Beginning of the response body: at most 16 KiB of text', example: 'ok' })
  response_body!: string;
  @ApiProperty({ enum: attemptErrors, nullable: true }) error!: string | null;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty(publicIdSchema('delivery')) delivery_id!: string;
  @ApiProperty(publicIdSchema('event')) event_id!: string;
  @ApiProperty({ type: String, format: 'uuid', nullable: true }) project_id!: string | null;
  @ApiProperty({
    enum: deliveryStates,
    description: 'Current state of the delivery, which is the same for all of its attempts',
  })
  delivery_state!: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      "Planned time of the delivery's next attempt. All attempts of a delivery have the same value. Null if the delivery is finished or an attempt is in progress",
  })
  next_attempt_at!: string | null;

  static from(attempt: AttemptRecord): AttemptResponse {
    return {
      id: publicId('attempt', attempt.id),
      endpoint_id: publicId('endpoint', attempt.endpointId),
      endpoint_name: attempt.endpointName,
      event: attempt.eventType,
      target_url: attempt.targetUrl,
      http_status: attempt.httpStatus,
      success: attempt.success,
      attempt: attempt.attempt,
      max_attempts: MAX_ATTEMPTS,
      duration_ms: attempt.durationMs,
      response_body: attempt.responseBody,
      error: attempt.error,
      created_at: attempt.startedAt.toISOString(),
      delivery_id: publicId('delivery', attempt.deliveryId),
      event_id: publicId('event', attempt.eventId),
      project_id: attempt.projectId,
      delivery_state: attempt.deliveryState,
      next_attempt_at: attempt.nextAttemptAt?.toISOString() ?? null,
    };
  }
}

export class DeliveryRequestResponse {
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description:
      'Headers, excluding the timestamp and signature, which differ in each attempt. The values of the current custom headers of the endpoint are replaced by `…`',
  })
  headers!: Record<string, string>;

  @ApiProperty({ example: '{"id":"evt_019aa2c0-7d1e-7000-8000-000000000000",…}' }) body!: string;
}

/** The delivery of one event to one endpoint, without the request and the attempts. */
export class DeliverySummaryResponse {
  @ApiProperty(publicIdSchema('delivery')) id!: string;
  @ApiProperty(publicIdSchema('event')) event_id!: string;
  @ApiProperty({ example: 'customer.created' }) event!: string;
  @ApiProperty(publicIdSchema('endpoint')) endpoint_id!: string;
  @ApiProperty(endpointNameSchema) endpoint_name!: string;
  @ApiProperty({ type: String, format: 'uuid', nullable: true }) project_id!: string | null;
  @ApiProperty({ ...urlSchema, example: 'https://app.example.com/webhooks' }) target_url!: string;
  @ApiProperty({ enum: deliveryStates }) state!: string;
  @ApiProperty({
    enum: deliveryCancelReasons,
    nullable: true,
    description:
      'Why the delivery was canceled. `customer_deleted`: the customer of its event was deleted. `endpoint_inactive`: the endpoint was disabled or deleted. Null in other states',
  })
  cancel_reason!: string | null;
  @ApiProperty({
    enum: deliveryResolutions,
    nullable: true,
    description: 'How a dead letter was resolved. `erased`: the customer of its event was deleted',
  })
  resolution!: string | null;
  @ApiProperty({ type: String, nullable: true }) reason!: string | null;
  @ApiProperty({ type: String, nullable: true }) resolved_by!: string | null;
  @ApiProperty(nullablePublicIdSchema('delivery')) redelivery_of!: string | null;
  @ApiProperty(nullablePublicIdSchema('delivery')) redelivered_as!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) next_attempt_at!: string | null;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) finished_at!: string | null;

  static fromDelivery(delivery: DeliverySummary): DeliverySummaryResponse {
    const deliveryId = (id: string | null): string | null => id && publicId('delivery', id);
    return {
      id: publicId('delivery', delivery.id),
      event_id: publicId('event', delivery.eventId),
      event: delivery.eventType,
      endpoint_id: publicId('endpoint', delivery.endpointId),
      endpoint_name: delivery.endpointName,
      project_id: delivery.projectId,
      target_url: delivery.targetUrl,
      state: delivery.state,
      cancel_reason: delivery.cancelReason,
      resolution: delivery.resolution,
      reason: delivery.reason,
      resolved_by: delivery.resolvedBy,
      redelivery_of: deliveryId(delivery.redeliveryOf),
      redelivered_as: deliveryId(delivery.redeliveredAs),
      next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
      created_at: delivery.createdAt.toISOString(),
      finished_at: delivery.finishedAt?.toISOString() ?? null,
    };
  }
}

/** A delivery with its request and its attempts. */
export class DeliveryResponse extends DeliverySummaryResponse {
  @ApiProperty({ type: DeliveryRequestResponse }) request!: DeliveryRequestResponse;
  @ApiProperty({ type: [AttemptResponse] }) attempts!: AttemptResponse[];

  static from(delivery: Delivery, attempts: AttemptRecord[], userAgent: string): DeliveryResponse {
    const summary = DeliverySummaryResponse.fromDelivery(delivery);
    return {
      ...summary,
      request: {
        headers: { ...hiddenHeaders(delivery.headerNames), ...deliveryHeaders(summary.event_id, userAgent) },
        body: delivery.body,
      },
      attempts: attempts.map((attempt) => AttemptResponse.from(attempt)),
    };
  }
}

/**
 * A delivery, as returned to operators, with the endpoint's status, which determines whether the delivery can be
 * redelivered.
 */
export class OperatorDeliveryResponse extends DeliveryResponse {
  @ApiProperty({ enum: endpointStatuses, description: 'Current status of the endpoint' })
  endpoint_status!: string;

  static forOperator(
    delivery: Delivery,
    attempts: AttemptRecord[],
    userAgent: string,
  ): OperatorDeliveryResponse {
    return {
      ...DeliveryResponse.from(delivery, attempts, userAgent),
      endpoint_status: delivery.endpointStatus,
    };
  }
}

/** The last finished attempt of a delivery. */
export class FinishedAttemptResponse {
  @ApiProperty({ description: 'HTTP status of the response. 0 if no response was received', example: 503 })
  http_status!: number;
  @ApiProperty({ enum: attemptErrors, nullable: true }) error!: string | null;
}

/** A delivery in a list for operators, with its customer and the result of its last attempt. */
export class ListedDeliveryResponse extends DeliverySummaryResponse {
  @ApiProperty({ format: 'uuid' }) organization_id!: string;
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'Customer of the event. Null if the event has no customer or the customer was deleted',
  })
  customer_id!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Current email address of the customer' })
  customer_email!: string | null;
  @ApiProperty({ minimum: 0, maximum: MAX_ATTEMPTS, description: 'Number of attempts that have started' })
  attempt!: number;
  @ApiProperty({ example: MAX_ATTEMPTS }) max_attempts!: number;
  @ApiProperty({
    type: FinishedAttemptResponse,
    nullable: true,
    description: 'Result of the last finished attempt. Null if no attempt has finished',
  })
  last_attempt!: FinishedAttemptResponse | null;

  static fromListed(delivery: ListedDelivery): ListedDeliveryResponse {
    const { lastHttpStatus, lastError } = delivery;
    return {
      ...DeliverySummaryResponse.fromDelivery(delivery),
      organization_id: delivery.organizationId,
      customer_id: delivery.customerId,
      customer_email: delivery.customerEmail,
      attempt: delivery.attempt,
      max_attempts: MAX_ATTEMPTS,
      last_attempt: lastHttpStatus === null ? null : { http_status: lastHttpStatus, error: lastError },
    };
  }
}

import { ApiProperty } from '@nestjs/swagger';
import {
  attemptErrors,
  auditActorTypes,
  deliveryResolutions,
  deliveryStates,
  mailReasons,
  mailStates,
  publicId,
  timelineKinds,
  type MailReason,
  type MailState,
  type TimelineKind,
} from '@gatehouse/domain';
import { timelineSources, type TimelineDelivery } from '@gatehouse/persistence';
import { publicIdSchema, urlSchema } from '../../http/input/text-schemas.js';
import type { TimelineEntry } from '../customer-timeline.service.js';
import { endpointNameSchema } from '../../webhooks/dto/webhook-endpoint.fields.js';

const nullableText = { type: String, nullable: true } as const;

/** The actor that made a change. */
export class TimelineActorResponse {
  @ApiProperty({ enum: auditActorTypes }) type!: string;
  @ApiProperty({
    ...nullableText,
    format: 'uuid',
    description:
      'For `support`, the key that created the sign-in token. Null if Gatehouse itself performed the action, or if the key is unknown',
  })
  id!: string | null;
  @ApiProperty({
    ...nullableText,
    description:
      'Email address of the operator or customer, or name of the key. Null if the actor no longer exists',
  })
  name!: string | null;
}

/** An email in the timeline. */
export class TimelineMailResponse {
  @ApiProperty({ enum: mailStates }) state!: MailState;
  @ApiProperty({
    type: String,
    enum: mailReasons,
    nullable: true,
    description: 'Why the email was dropped or failed',
  })
  reason!: MailReason | null;
  @ApiProperty({
    ...nullableText,
    description: 'Last error response of the mail server, or the code of a connection error',
    example: '550 5.1.1 User unknown',
  })
  response!: string | null;
}

/** An event's newest delivery to an endpoint. */
export class TimelineDeliveryResponse {
  @ApiProperty(publicIdSchema('delivery')) id!: string;
  @ApiProperty(publicIdSchema('endpoint')) endpointId!: string;
  @ApiProperty(endpointNameSchema) endpointName!: string;
  @ApiProperty({ ...urlSchema, example: 'https://app.example.com/webhooks' }) targetUrl!: string;
  @ApiProperty({ enum: deliveryStates }) state!: string;
  @ApiProperty({ type: String, enum: deliveryResolutions, nullable: true }) resolution!: string | null;
  @ApiProperty({ type: 'integer', description: 'Number of attempts' }) attempts!: number;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'HTTP status of the last attempt. 0 if no response was received',
  })
  httpStatus!: number | null;
  @ApiProperty({ type: String, enum: attemptErrors, nullable: true }) error!: string | null;

  static from(delivery: TimelineDelivery): TimelineDeliveryResponse {
    const { id, endpointId, endpointName, targetUrl, state, resolution, attempts, httpStatus, error } =
      delivery;
    return {
      id: publicId('delivery', id),
      endpointId: publicId('endpoint', endpointId),
      endpointName,
      targetUrl,
      state,
      resolution,
      attempts,
      httpStatus,
      error,
    };
  }
}

/** An event or change that concerns a customer. */
export class TimelineEntryResponse {
  @ApiProperty({
    format: 'uuid',
    description:
      'Id of the event, the audit log entry or the email. For the source `customer`, it identifies only the entry',
  })
  id!: string;
  @ApiProperty({
    enum: timelineSources,
    description:
      'Type of the record behind the entry. `customer`: the creation of an imported customer, for which no record exists',
  })
  source!: string;
  @ApiProperty({ enum: timelineKinds }) kind!: TimelineKind;
  @ApiProperty({
    description: 'Type of the event, action of the audit log, or kind of the email',
    example: 'login.succeeded',
  })
  type!: string;
  @ApiProperty({ format: 'date-time' }) createdAt!: string;
  @ApiProperty({
    type: TimelineActorResponse,
    nullable: true,
    description: 'Null for events and emails, which have no actor',
  })
  actor!: TimelineActorResponse | null;
  @ApiProperty({ ...nullableText, description: 'Browser and operating system', example: 'Firefox on macOS' })
  device!: string | null;
  @ApiProperty({ ...nullableText, description: 'Client IP address, if it is stored' }) ip!: string | null;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'For an event, its `data` without the customer and without previous values; `changed` contains the names of the changed fields. For an audit log entry, its details',
    example: { methods: ['pwd'], provider: null },
  })
  details!: Record<string, unknown>;
  @ApiProperty({
    type: TimelineMailResponse,
    nullable: true,
    description: 'Null if the entry is not an email',
  })
  mail!: TimelineMailResponse | null;
  @ApiProperty({
    type: [TimelineDeliveryResponse],
    description: 'The newest deliveries of the event to each endpoint, at most ten',
  })
  deliveries!: TimelineDeliveryResponse[];

  static from(entry: TimelineEntry): TimelineEntryResponse {
    const { id, source, kind, type, createdAt, actor, device, ip, details, mail, deliveries } = entry;
    return {
      id,
      source,
      kind,
      type,
      createdAt: createdAt.toISOString(),
      actor,
      device,
      ip,
      details,
      mail,
      deliveries: deliveries.map((delivery) => TimelineDeliveryResponse.from(delivery)),
    };
  }
}

import { deliveryStates, isEventTypeFilter, type StatusClass } from '@gatehouse/domain';
import {
  BooleanField,
  CheckedField,
  OneOfField,
  ProjectIdField,
  PublicIdField,
  TextField,
} from '../../http/input/fields.js';
import { PageQuery } from '../../http/lists/paging.js';
import { TimeField } from '../../http/input/time-field.js';
import { QueryHttpStatusField, StatusClassField } from './http-status.fields.js';

/** An event type in a filter. */
export const EventTypeField = (): PropertyDecorator =>
  CheckedField({
    description: 'Only this event type. `app.*` includes all custom types',
    example: 'customer.created',
    optional: true,
    isValid: isEventTypeFilter,
    message:
      '$property must be a known event type (GET /v1/webhooks/event-types lists them), a custom type such as app.order.paid, or app.*',
  });

export class ListDeliveriesQuery extends PageQuery {
  @ProjectIdField() project_id?: string;
  @PublicIdField('endpoint') endpoint_id?: string;
  @PublicIdField('event') event_id?: string;
  @PublicIdField('delivery') delivery_id?: string;
  @EventTypeField() event?: string;

  @OneOfField('`true`: only attempts that succeeded. `false`: only attempts that failed', ['true', 'false'])
  success?: string;
  @OneOfField('State of the delivery', deliveryStates) delivery_state?: string;
  @StatusClassField('HTTP status') status_class?: StatusClass;
  @QueryHttpStatusField('Exact HTTP status') http_status?: number;
  @TimeField('Only attempts that started after this time') created_after?: string;
  @TimeField('Only attempts that started before this time') created_before?: string;
}

export class RedeliverRequest {
  static readonly bodyIsOptional = true;

  @TextField({
    description: 'Reason, recorded in the delivery and the audit log',
    optional: true,
    nullable: true,
    maxLength: 500,
  })
  reason?: string | null;

  @BooleanField({
    description:
      'If true, a disabled endpoint is enabled first. If false (default), the response for a disabled endpoint is `endpoint_disabled`',
    optional: true,
  })
  enable_endpoint?: boolean;
}

export class DiscardRequest {
  @TextField({
    description: 'Reason, recorded in the delivery and the audit log',
    minLength: 1,
    maxLength: 500,
  })
  reason!: string;
}

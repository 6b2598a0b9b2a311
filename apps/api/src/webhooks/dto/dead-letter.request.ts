import { deliveryStates, isEventType, statusClasses } from '#domain';
import {
  CheckedField,
  OneOfField,
  ProjectIdField,
  PublicIdField,
  QueryIntegerField,
  TimeField,
} from '../../http/fields.js';
import { PageQuery } from '../../http/paging.js';

export const EventTypeField = (): PropertyDecorator =>
  CheckedField({
    description: 'Only this event type',
    example: 'customer.created',
    optional: true,
    isValid: isEventType,
    message: '$property must be a known event type',
  });

/** What filters the log filters dead letters too, though of these `success` is always false and the state `failed`. */
export class ListDeadLettersQuery extends PageQuery {
  @ProjectIdField() project_id?: string;
  @PublicIdField('endpoint') endpoint_id?: string;
  @EventTypeField() event?: string;
  @PublicIdField('event') event_id?: string;
  @PublicIdField('delivery') delivery_id?: string;
  @OneOfField('Whether the delivery succeeded: no dead letter did', ['true', 'false']) success?: string;
  @OneOfField('State of the delivery: `failed` is that of all', deliveryStates) delivery_state?: string;
  @OneOfField('Class of the HTTP status of the last attempt; none: nothing answered', statusClasses)
  status_class?: string;
  @QueryIntegerField({
    description: 'HTTP status of the last attempt; 0: nothing answered',
    min: 0,
    max: 599,
  })
  http_status?: number;
  @TimeField('Only deliveries that were made later') created_after?: string;
  @TimeField('Only deliveries that were made earlier') created_before?: string;
}

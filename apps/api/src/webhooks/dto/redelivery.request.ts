import { parsePublicId, statusClasses } from '#domain';
import {
  BooleanField,
  IntegerField,
  ObjectField,
  OneOfField,
  ProjectIdField,
  PublicIdField,
  TextField,
  TextListField,
  TimeField,
} from '../../http/fields.js';
import { EventTypeField } from './dead-letter.request.js';

const MAX_DELIVERY_IDS = 200;

/** The filter of the list of dead letters; beyond that, finished deliveries of other states. */
export class RedeliveryFilterRequest {
  @ProjectIdField() project_id?: string;
  @PublicIdField('endpoint') endpoint_id?: string;
  @EventTypeField() event?: string;
  @PublicIdField('event') event_id?: string;
  @PublicIdField('delivery') delivery_id?: string;

  @TextListField({
    description:
      'Only these deliveries, whatever their state unless `delivery_state` says it; those that cannot be redelivered are counted',
    optional: true,
    maxItems: MAX_DELIVERY_IDS,
    isValid: (text) => parsePublicId('delivery', text) !== null,
    message: '$property must hold ids of deliveries',
  })
  delivery_ids?: string[];

  @OneOfField(
    'Default `failed`: dead letters. Others need `endpoint_id`, `event_id`, `delivery_id` or `delivery_ids` beside them',
    ['failed', 'succeeded', 'cancelled'],
  )
  delivery_state?: 'failed' | 'succeeded' | 'cancelled';

  @BooleanField({ description: 'Whether the delivery succeeded', optional: true }) success?: boolean;
  @IntegerField({
    description: 'HTTP status of the last attempt; 0: nothing answered',
    optional: true,
    min: 0,
    max: 599,
  })
  http_status?: number;
  @OneOfField('Class of the HTTP status of the last attempt; none: nothing answered', statusClasses)
  status_class?: string;
  @TimeField('Only deliveries that were made later') created_after?: string;
  @TimeField('Only deliveries that were made earlier') created_before?: string;
}

export class PlanRedeliveryRequest {
  @ObjectField({
    description: 'What is to be redelivered; `{}` is every dead letter within reach',
    type: RedeliveryFilterRequest,
  })
  filter!: RedeliveryFilterRequest;
}

export class StartRedeliveryRequest {
  @TextField({
    description: 'Why; kept with every delivery that is redelivered',
    minLength: 1,
    maxLength: 500,
  })
  reason!: string;
}

export class RecoverRequest {
  @TimeField('Events from then on', { optional: false }) since!: string;
  @TimeField('Events until then; default: now') until?: string;
}

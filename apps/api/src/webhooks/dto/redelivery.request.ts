import { parsePublicId, type StatusClass } from '@gatehouse/domain';
import {
  BooleanField,
  ObjectField,
  OneOfField,
  ProjectIdField,
  PublicIdField,
  TextField,
  TextListField,
} from '../../http/input/fields.js';
import { publicIdSchema } from '../../http/input/text-schemas.js';
import { TimeField } from '../../http/input/time-field.js';
import { EventTypeField } from './delivery.request.js';
import { HttpStatusField, StatusClassField } from './http-status.fields.js';

const MAX_DELIVERY_IDS = 200;

/** The filter of the dead letter list, extended to finished deliveries in other states. */
export class RedeliveryFilterRequest {
  @ProjectIdField() project_id?: string;
  @PublicIdField('endpoint') endpoint_id?: string;
  @EventTypeField() event?: string;
  @PublicIdField('event') event_id?: string;
  @PublicIdField('delivery') delivery_id?: string;

  @TextListField({
    description:
      'Only these deliveries, in any state unless `delivery_state` is set. Those that cannot be redelivered are counted in `not_eligible`',
    optional: true,
    maxItems: MAX_DELIVERY_IDS,
    itemSchema: publicIdSchema('delivery'),
    isValid: (text) => parsePublicId('delivery', text) !== null,
    message: '$property must contain delivery ids',
  })
  delivery_ids?: string[];

  @OneOfField(
    'Default: `failed` (dead letters). The other states require `endpoint_id`, `event_id`, `delivery_id` or `delivery_ids`',
    ['failed', 'succeeded', 'cancelled'],
  )
  delivery_state?: 'failed' | 'succeeded' | 'cancelled';

  @BooleanField({
    description: '`true`: only deliveries that succeeded. `false`: only deliveries that did not succeed',
    optional: true,
  })
  success?: boolean;
  @HttpStatusField() http_status?: number;
  @StatusClassField() status_class?: StatusClass;
  @TimeField('Only deliveries created after this time') created_after?: string;
  @TimeField('Only deliveries created before this time') created_before?: string;
}

export class PlanRedeliveryRequest {
  @ObjectField({
    description: 'Deliveries to redeliver. `{}` selects every dead letter that the key can access',
    type: RedeliveryFilterRequest,
  })
  filter!: RedeliveryFilterRequest;
}

export class StartRedeliveryRequest {
  @TextField({
    description: 'Reason, recorded with every redelivered delivery',
    minLength: 1,
    maxLength: 500,
  })
  reason!: string;

  @BooleanField({
    description:
      'If true, the disabled endpoints of the plan are enabled, and its deliveries that are not eligible because of `endpoint_disabled` become eligible. Default: false',
    optional: true,
  })
  enable_endpoint?: boolean;
}

export class RecoverRequest {
  @TimeField('Only events created at or after this time', { optional: false }) since!: string;
  @TimeField('Only events created at or before this time. Default: now') until?: string;
}

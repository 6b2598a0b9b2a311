import { deliveryStates, type StatusClass } from '@gatehouse/domain';
import { OneOfField, ProjectIdField, PublicIdField } from '../../http/input/fields.js';
import { PageQuery } from '../../http/lists/paging.js';
import { TimeField } from '../../http/input/time-field.js';
import { EventTypeField } from './delivery.request.js';
import { QueryHttpStatusField, StatusClassField } from './http-status.fields.js';

/**
 * The filters of the attempt log, applied to dead letters. `success` is always false, and the state is always `failed`.
 */
export class ListDeadLettersQuery extends PageQuery {
  @ProjectIdField() project_id?: string;
  @PublicIdField('endpoint') endpoint_id?: string;
  @EventTypeField() event?: string;
  @PublicIdField('event') event_id?: string;
  @PublicIdField('delivery') delivery_id?: string;
  @OneOfField('Outcome of the delivery. Dead letters have not succeeded, so `true` matches none', [
    'true',
    'false',
  ])
  success?: string;
  @OneOfField('State of the delivery. All dead letters are `failed`', deliveryStates) delivery_state?: string;
  @StatusClassField() status_class?: StatusClass;
  @QueryHttpStatusField() http_status?: number;
  @TimeField('Only deliveries created after this time') created_after?: string;
  @TimeField('Only deliveries created before this time') created_before?: string;
}

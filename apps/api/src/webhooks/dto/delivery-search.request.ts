import { OmitType } from '@nestjs/swagger';
import {
  attemptErrors,
  deliveryStates,
  isUuid,
  MAX_ATTEMPTS,
  redeliveryStates,
  type StatusClass,
  type AttemptError,
  type DeliveryState,
  type RedeliveryState,
} from '@gatehouse/domain';
import {
  deadLetterStates,
  deliverySorts,
  type DeadLetterState,
  type DeliverySort,
} from '@gatehouse/persistence';
import {
  CheckedField,
  ObjectField,
  OneOfField,
  ProjectIdField,
  PublicIdField,
  QueryIntegerField,
} from '../../http/input/fields.js';
import { PageQuery } from '../../http/lists/paging.js';
import { CustomerIdField, SearchTextField } from '../../http/input/search-fields.js';
import { TimeField } from '../../http/input/time-field.js';
import { ListDeadLettersQuery } from './dead-letter.request.js';
import { EventTypeField, ListDeliveriesQuery } from './delivery.request.js';
import { QueryHttpStatusField, StatusClassField } from './http-status.fields.js';
import { RedeliveryFilterRequest } from './redelivery.request.js';

const searchDescription =
  'Id of a delivery, attempt, event, endpoint or customer, the email address of a customer, the beginning of an endpoint URL including its scheme, or part of an endpoint name';

/** An organization id in a query. */
const OrganizationIdField = (): PropertyDecorator =>
  CheckedField({
    description: 'Only records of this organization',
    optional: true,
    isValid: isUuid,
    message: '$property must be a UUID',
  });

/** Filters for the attempt log in the operator API, in addition to those in the public API. */
export class SearchAttemptsQuery extends ListDeliveriesQuery {
  @OrganizationIdField() organization_id?: string;

  @QueryIntegerField({
    description: 'Only attempts with this number: 1 is the first attempt of a delivery',
    min: 1,
    max: MAX_ATTEMPTS,
  })
  attempt?: number;

  @OneOfField('Error of the attempt', attemptErrors) error?: AttemptError;
  @PublicIdField('redelivery') batch_id?: string;
  @CustomerIdField() customer_id?: string;
  @SearchTextField(searchDescription) q?: string;
}

export class CountAttemptsQuery extends OmitType(SearchAttemptsQuery, ['limit', 'cursor'] as const) {}

/** Filters and sort orders for the delivery list in the operator API. */
export class SearchDeliveriesQuery extends PageQuery {
  @ProjectIdField() project_id?: string;
  @OrganizationIdField() organization_id?: string;
  @PublicIdField('endpoint') endpoint_id?: string;
  @PublicIdField('event') event_id?: string;
  @PublicIdField('redelivery') batch_id?: string;
  @CustomerIdField() customer_id?: string;
  @EventTypeField() event?: string;
  @OneOfField('State of the delivery', deliveryStates) state?: DeliveryState;

  @OneOfField(
    '`true`: only deliveries with a failed attempt, even if a later one succeeded. `false`: only deliveries without a failed attempt',
    ['true', 'false'],
  )
  failed_attempts?: 'true' | 'false';

  @StatusClassField() status_class?: StatusClass;

  @QueryHttpStatusField() http_status?: number;

  @OneOfField('Error of the last attempt', attemptErrors) error?: AttemptError;
  @TimeField('Only deliveries created after this time') created_after?: string;
  @TimeField('Only deliveries created before this time') created_before?: string;
  @SearchTextField(searchDescription) q?: string;

  @OneOfField(
    'Order. Default: `-created_at`, newest first. `next_attempt_at` and `-next_attempt_at` list only deliveries that wait for an attempt',
    deliverySorts,
  )
  sort?: DeliverySort;
}

export class CountDeliveriesQuery extends OmitType(SearchDeliveriesQuery, ['limit', 'cursor'] as const) {}

/** Filters for the dead letter list in the operator API, in addition to those in the public API. */
export class SearchDeadLettersQuery extends ListDeadLettersQuery {
  @OneOfField(
    'State of the dead letter. Default: `waiting`. `erased`: the customer of its event was deleted. `resolved`: redelivered, discarded or erased',
    deadLetterStates,
  )
  resolution?: DeadLetterState;

  @OrganizationIdField() organization_id?: string;
  @CustomerIdField() customer_id?: string;
  @SearchTextField(searchDescription) q?: string;
}

export class CountDeadLettersQuery extends OmitType(SearchDeadLettersQuery, ['limit', 'cursor'] as const) {}

/** Filters for the list of bulk redeliveries and recoveries in the operator API. */
export class SearchRedeliveriesQuery extends PageQuery {
  @OneOfField('Only redeliveries in this state', redeliveryStates) state?: RedeliveryState;
}

export class CountRedeliveriesQuery extends OmitType(SearchRedeliveriesQuery, ['limit', 'cursor'] as const) {}

/** The filter in an operator's plan. It can select the same dead letters as the list's filters. */
export class SearchRedeliveryFilterRequest extends RedeliveryFilterRequest {
  @OneOfField(
    '`waiting`: only dead letters that are neither redelivered nor discarded, even if `delivery_ids` is set',
    ['waiting'],
  )
  resolution?: 'waiting';

  @OrganizationIdField() organization_id?: string;
  @CustomerIdField() customer_id?: string;
  @SearchTextField(searchDescription) q?: string;
}

export class PlanSearchedRedeliveryRequest {
  @ObjectField({
    description: 'Deliveries to redeliver. `{}` selects every dead letter of this installation',
    type: SearchRedeliveryFilterRequest,
  })
  filter!: SearchRedeliveryFilterRequest;
}

import { OmitType } from '@nestjs/swagger';
import {
  attemptErrors,
  MAX_ATTEMPTS,
  redeliveryStates,
  type AttemptError,
  type RedeliveryState,
} from '@gatehouse/domain';
import { deadLetterStates, type DeadLetterState } from '@gatehouse/persistence';
import { ObjectField, OneOfField, PublicIdField, QueryIntegerField } from '../../http/fields.js';
import { PageQuery } from '../../http/paging.js';
import { CustomerIdField, SearchTextField } from '../../http/search-fields.js';
import { ListDeadLettersQuery } from './dead-letter.request.js';
import { ListDeliveriesQuery } from './delivery.request.js';
import { RedeliveryFilterRequest } from './redelivery.request.js';

const searchDescription =
  'Id of a delivery, an attempt, an event, an endpoint or a customer, the email address of a customer, or the beginning of the URL of an endpoint, including its scheme';

/** Filters of the attempt log for operators, in addition to those for keys. */
export class SearchDeliveriesQuery extends ListDeliveriesQuery {
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

export class CountDeliveriesQuery extends OmitType(SearchDeliveriesQuery, ['limit', 'cursor'] as const) {}

/** Filters of the list of dead letters for operators, in addition to those for keys. */
export class SearchDeadLettersQuery extends ListDeadLettersQuery {
  @OneOfField(
    'State of the dead letter. Default: `waiting`. `erased`: the customer of its event was deleted. `resolved`: redelivered, discarded or erased',
    deadLetterStates,
  )
  resolution?: DeadLetterState;

  @CustomerIdField() customer_id?: string;
  @SearchTextField(searchDescription) q?: string;
}

export class CountDeadLettersQuery extends OmitType(SearchDeadLettersQuery, ['limit', 'cursor'] as const) {}

/** Filters of the list of bulk redeliveries and recoveries for operators. */
export class SearchRedeliveriesQuery extends PageQuery {
  @OneOfField('Only redeliveries in this state', redeliveryStates) state?: RedeliveryState;
}

export class CountRedeliveriesQuery extends OmitType(SearchRedeliveriesQuery, ['limit', 'cursor'] as const) {}

/** The filter of an operator's plan. It can select the same dead letters as the filters of their list. */
export class SearchRedeliveryFilterRequest extends RedeliveryFilterRequest {
  @OneOfField(
    '`waiting`: only dead letters that are neither redelivered nor discarded, even if `delivery_ids` is set',
    ['waiting'],
  )
  resolution?: 'waiting';

  @CustomerIdField() customer_id?: string;
  @SearchTextField(searchDescription) q?: string;
}

export class PlanSearchedRedeliveryRequest {
  @ObjectField({
    description: 'Deliveries to redeliver. `{}`: every dead letter of this installation',
    type: SearchRedeliveryFilterRequest,
  })
  filter!: SearchRedeliveryFilterRequest;
}

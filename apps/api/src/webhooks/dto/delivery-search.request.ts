import { OmitType } from '@nestjs/swagger';
import {
  attemptErrors,
  MAX_ATTEMPTS,
  redeliveryStates,
  type AttemptError,
  type RedeliveryState,
} from '#domain';
import { deadLetterStates, type DeadLetterState } from '#persistence';
import { ObjectField, OneOfField, PublicIdField, QueryIntegerField } from '../../http/fields.js';
import { PageQuery } from '../../http/paging.js';
import { CustomerIdField, SearchTextField } from '../../http/search-fields.js';
import { ListDeadLettersQuery } from './dead-letter.request.js';
import { ListDeliveriesQuery } from './delivery.request.js';
import { RedeliveryFilterRequest } from './redelivery.request.js';

const named =
  'The id of a delivery, an attempt, an event, an endpoint or a customer, the e-mail address of a customer, or the beginning of the URL of an endpoint, with http';

/** What operators filter the log by, beside what keys do. */
export class SearchDeliveriesQuery extends ListDeliveriesQuery {
  @QueryIntegerField({
    description: 'Only the first attempts, or only the second …',
    min: 1,
    max: MAX_ATTEMPTS,
  })
  attempt?: number;

  @OneOfField('How the attempt failed', attemptErrors) error?: AttemptError;
  @PublicIdField('redelivery') batch_id?: string;
  @CustomerIdField() customer_id?: string;
  @SearchTextField(named) q?: string;
}

export class CountDeliveriesQuery extends OmitType(SearchDeliveriesQuery, ['limit', 'cursor'] as const) {}

/** The same for dead letters. */
export class SearchDeadLettersQuery extends ListDeadLettersQuery {
  @OneOfField(
    'What has become of them; default `waiting`. `resolved` is redelivered or discarded',
    deadLetterStates,
  )
  resolution?: DeadLetterState;

  @CustomerIdField() customer_id?: string;
  @SearchTextField(named) q?: string;
}

export class CountDeadLettersQuery extends OmitType(SearchDeadLettersQuery, ['limit', 'cursor'] as const) {}

/** What operators list bulk redeliveries and recoveries by. */
export class SearchRedeliveriesQuery extends PageQuery {
  @OneOfField('Only those that are', redeliveryStates) state?: RedeliveryState;
}

export class CountRedeliveriesQuery extends OmitType(SearchRedeliveriesQuery, ['limit', 'cursor'] as const) {}

/** What operators list dead letters by, for a plan that takes what the list shows. */
export class SearchRedeliveryFilterRequest extends RedeliveryFilterRequest {
  @OneOfField(
    'Only dead letters that wait, as their list shows them, also where deliveries are named. What is resolved is not brought again',
    ['waiting'],
  )
  resolution?: 'waiting';

  @CustomerIdField() customer_id?: string;
  @SearchTextField(named) q?: string;
}

export class PlanSearchedRedeliveryRequest {
  @ObjectField({
    description: 'What is to be redelivered; `{}` is every dead letter of the house',
    type: SearchRedeliveryFilterRequest,
  })
  filter!: SearchRedeliveryFilterRequest;
}

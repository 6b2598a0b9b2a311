import { OmitType } from '@nestjs/swagger';
import { CustomerIdField, SearchTextField } from '../../http/input/search-fields.js';
import { TimeField } from '../../http/input/time-field.js';
import { ListEventsQuery } from './event.request.js';

/** The event filters for operators, which extend the filters for keys. */
export class SearchEventsQuery extends OmitType(ListEventsQuery, ['start', 'include_body'] as const) {
  @TimeField('Only events created before this time') created_before?: string;
  @CustomerIdField() customer_id?: string;

  @SearchTextField('Id of an event, a delivery, an attempt or a customer, or the email address of a customer')
  q?: string;
}

export class CountEventsQuery extends OmitType(SearchEventsQuery, ['limit', 'cursor'] as const) {}

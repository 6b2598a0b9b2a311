import { isSubscription } from '#domain';
import { CheckedField, ProjectIdField, TimeField } from '../../http/fields.js';
import { PageQuery } from '../../http/paging.js';

/** Types, and all types of a noun such as `customer.*`. */
const isTypeList = (text: string): boolean => text.split(',').every((entry) => isSubscription(entry));

export class ListEventsQuery extends PageQuery {
  @ProjectIdField() project_id?: string;

  @CheckedField({
    description: 'Only these types, separated by commas; customer.* stands for all of a noun',
    example: 'customer.created,session.*',
    optional: true,
    isValid: isTypeList,
    message: 'types must list known event types, separated by commas',
  })
  types?: string;

  @TimeField('Only events created later') created_after?: string;
}

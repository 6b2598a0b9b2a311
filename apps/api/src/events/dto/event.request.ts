import { isSubscription } from '@gatehouse/domain';
import { CheckedField, OneOfField, ProjectIdField } from '../../http/input/fields.js';
import { PageQuery } from '../../http/lists/paging.js';
import { TimeField } from '../../http/input/time-field.js';

/** Returns true for comma-separated event types and wildcards such as `customer.*`. */
const isTypeList = (text: string): boolean => text.split(',').every((entry) => isSubscription(entry));

const feedStarts = ['earliest', 'latest'] as const;
export type FeedStart = (typeof feedStarts)[number];

export class ListEventsQuery extends PageQuery {
  @ProjectIdField() project_id?: string;

  @CheckedField({
    description:
      'Only these event types, separated by commas. `customer.*` includes all types of that resource, and `app.*` all custom types',
    example: 'customer.created,session.*',
    optional: true,
    isValid: isTypeList,
    message:
      'types must be a comma-separated list of known event types (GET /v1/webhooks/event-types lists them) and custom types such as app.order.paid',
  })
  types?: string;

  @TimeField('Only events created after this time') created_after?: string;

  @OneOfField(
    'Where the feed starts without a cursor. `earliest` (default): the oldest event. `latest`: after all existing events',
    feedStarts,
  )
  start?: FeedStart;

  @OneOfField('If true, each event contains its webhook body as a string. Default: false', ['true', 'false'])
  include_body?: 'true' | 'false';
}

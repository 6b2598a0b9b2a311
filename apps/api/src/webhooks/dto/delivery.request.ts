import { deliveryStates, isEventType } from '#domain';
import {
  CheckedField,
  ProjectIdField,
  PublicIdField,
  QueryIntegerField,
  TextField,
} from '../../http/fields.js';
import { PageQuery } from '../../http/paging.js';

const statusClasses = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;

/** RFC 3339 in UTC or with an offset, to the millisecond. */
const isTime = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/.test(text) &&
  !Number.isNaN(Date.parse(text));

const TimeField = (description: string): PropertyDecorator =>
  CheckedField({
    description,
    example: '2026-01-01T00:00:00.000Z',
    optional: true,
    isValid: isTime,
    message: '$property must be an ISO 8601 time such as 2026-01-01T00:00:00.000Z',
  });

const OneOfField = (description: string, values: readonly string[]): PropertyDecorator =>
  CheckedField({
    description,
    optional: true,
    values,
    isValid: (text) => values.includes(text),
    message: `$property must be one of ${values.join(', ')}`,
  });

export class ListDeliveriesQuery extends PageQuery {
  @ProjectIdField() project_id?: string;
  @PublicIdField('endpoint') endpoint_id?: string;
  @PublicIdField('event') event_id?: string;
  @PublicIdField('delivery') delivery_id?: string;

  @CheckedField({
    description: 'Only this event type',
    example: 'customer.created',
    optional: true,
    isValid: isEventType,
    message: 'event must be a known event type',
  })
  event?: string;

  @OneOfField('Whether the attempt succeeded', ['true', 'false']) success?: string;
  @OneOfField('State of the delivery', deliveryStates) delivery_state?: string;
  @OneOfField('Class of the HTTP status; none: nothing answered', statusClasses) status_class?: string;
  @QueryIntegerField({ description: 'Exact HTTP status; 0: nothing answered', min: 0, max: 599 })
  http_status?: number;
  @TimeField('Only attempts that started later') created_after?: string;
  @TimeField('Only attempts that started earlier') created_before?: string;
}

export class RedeliverRequest {
  static readonly bodyIsOptional = true;

  @TextField({ description: 'Why; for the log', optional: true, nullable: true, maxLength: 500 })
  reason?: string | null;
}

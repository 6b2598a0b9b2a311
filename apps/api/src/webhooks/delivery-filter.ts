import { parsePublicId, statusRanges, type DeliveryState } from '@gatehouse/domain';
import type { AttemptFilter, DeliveryFilter } from '@gatehouse/persistence';
import { parseTime, parseUpperBound } from '../http/input/time-field.js';
import { intersectIds, type SearchConditions } from '../search/search-terms.service.js';
import type { ListDeadLettersQuery } from './dto/dead-letter.request.js';
import type { CountDeliveriesQuery } from './dto/delivery-search.request.js';
import type { ListDeliveriesQuery } from './dto/delivery.request.js';
import type { RedeliveryFilterRequest } from './dto/redelivery.request.js';

type DeliveryFilterInput = ListDeadLettersQuery | RedeliveryFilterRequest;

/** Returns the filter for an attempts query. Its ids must have been validated. */
export const attemptFilter = (query: ListDeliveriesQuery): AttemptFilter => ({
  ...commonFilter(query),
  deliveryId: query.delivery_id ? parsePublicId('delivery', query.delivery_id) : null,
  deliveryState: deliveryState(query),
});

/** Returns the filter for a dead letters query or a bulk redelivery. Its ids must have been validated. */
export const deliveryFilter = (input: DeliveryFilterInput): DeliveryFilter => ({
  ...commonFilter(input),
  deliveryIds: deliveryIds(input),
  state: deliveryState(input),
});

/** Returns the filter for a delivery list query. Its ids must have been validated. */
export const deliveryListFilter = (query: CountDeliveriesQuery): DeliveryFilter => ({
  ...commonFilter(query),
  deliveryIds: null,
  state: query.state ?? null,
  error: query.error ?? null,
  hasFailedAttempts: toBoolean(query.failed_attempts),
  batchId: query.batch_id ? parsePublicId('redelivery', query.batch_id) : null,
});

/**
 * Adds the conditions from the search terms to a filter.
 * @returns the filter, or null if nothing can match
 */
export function narrowFilter(
  filter: DeliveryFilter,
  conditions: SearchConditions | null,
): DeliveryFilter | null {
  const event = intersectIds(filter.eventId, conditions?.eventId);
  if (!conditions || !event) return null;
  const { deliveryId } = conditions;
  const ids = deliveryId
    ? (filter.deliveryIds ?? [deliveryId]).filter((id) => id === deliveryId)
    : filter.deliveryIds;
  return ids?.length === 0 ? null : { ...filter, ...conditions, deliveryIds: ids, eventId: event.id };
}

const toBoolean = (value: boolean | string | undefined): boolean | null =>
  value === undefined ? null : value === true || value === 'true';

function commonFilter(input: ListDeliveriesQuery | DeliveryFilterInput | CountDeliveriesQuery) {
  return {
    projectId: input.project_id ?? null,
    organizationId: 'organization_id' in input ? input.organization_id : null,
    endpointId: input.endpoint_id ? parsePublicId('endpoint', input.endpoint_id) : null,
    eventType: input.event ?? null,
    eventId: input.event_id ? parsePublicId('event', input.event_id) : null,
    success: toBoolean('success' in input ? input.success : undefined),
    httpStatus: input.http_status ?? null,
    httpStatusRanges: input.status_class ? statusRanges[input.status_class] : null,
    createdAfter: parseTime(input.created_after),
    createdBefore: parseUpperBound(input.created_before),
  };
}

const deliveryState = (input: ListDeliveriesQuery | DeliveryFilterInput): DeliveryState | null =>
  (input.delivery_state as DeliveryState | undefined) ?? null;

function deliveryIds(input: DeliveryFilterInput): string[] | null {
  const { delivery_id: single } = input;
  const list = 'delivery_ids' in input ? input.delivery_ids : undefined;
  if (!single && !list) return null;
  // If both are set, an id must match both.
  const ids = single && list ? list.filter((id) => id === single) : (list ?? [single!]);
  return [...new Set(ids)].map((id) => parsePublicId('delivery', id)!);
}

import {
  ALL_CUSTOM_EVENTS,
  deliveryResolutions,
  statusRanges,
  type AttemptError,
  type DeliveryResolution,
  type DeliveryState,
  type AccessScope,
} from '@gatehouse/domain';
import { eventTypeCondition } from '../events/event-type-condition.js';
import { ownerRangeCondition } from '../lists/owner-range-condition.js';
import { organizationIdsSql, organizationWithinSql, type Conditions } from '../sql/conditions.js';
import { MAX_CREATED_AT_SKEW_MS, filterIdRange, MAX_UUID, NIL_UUID } from '../sql/uuid-v7.js';
import { endpointNameCondition, urlPrefixCondition } from './endpoint-conditions.js';
import { addHttpStatus, type HttpStatusFilter } from './http-status-condition.js';
import { customerDeliveriesSql } from './low-volume-customers.js';

/** A filter for deliveries. The HTTP status comes from the last attempt. */
export interface DeliveryFilter extends HttpStatusFilter {
  projectId: string | null;
  endpointId: string | null;
  /** `app.*` matches all custom types. */
  eventType: string | null;
  eventId: string | null;
  /** Matches any delivery in this list. */
  deliveryIds: string[] | null;
  state: DeliveryState | null;
  success: boolean | null;
  createdAfter: Date | null;
  createdBefore: Date | null;
  // Filters for operators only. A list matches any of its elements, `endpointUrl` matches the start of the URL, and
  // `endpointName` part of the name.
  organizationId?: string | null;
  endpointIds?: string[] | null;
  endpointUrl?: string | null;
  endpointName?: string | null;
  customerIds?: string[] | null;
  /** True if there are few events about these customers: see `detectLowVolumeCustomers`. */
  areLowVolume?: boolean;
  /** Dead letter resolution. */
  resolution?: DeadLetterState;
  /** The last attempt's error. */
  error?: AttemptError | null;
  /** True for deliveries with at least one failed attempt, even if a later one succeeded. */
  hasFailedAttempts?: boolean | null;
  /** Bulk redelivery that created the delivery. */
  batchId?: string | null;
  /** True if the batch has few deliveries: see `locateBatch`. */
  isSmallBatch?: boolean;
}

/** A filter that matches every delivery. */
export const emptyDeliveryFilter: DeliveryFilter = {
  projectId: null,
  endpointId: null,
  eventType: null,
  eventId: null,
  deliveryIds: null,
  state: null,
  success: null,
  httpStatus: null,
  httpStatusRanges: null,
  createdAfter: null,
  createdBefore: null,
};

/** Filters that together produce every scan and every condition, for use as samples in dynamic statements. */
export const sampleDeliveryFilters: DeliveryFilter[] = [
  emptyDeliveryFilter,
  { ...emptyDeliveryFilter, projectId: NIL_UUID },
  { ...emptyDeliveryFilter, projectId: NIL_UUID, createdAfter: new Date(0), createdBefore: new Date(0) },
  {
    ...emptyDeliveryFilter,
    endpointId: NIL_UUID,
    eventType: 'customer.created',
    state: 'failed',
    success: false,
  },
  { ...emptyDeliveryFilter, eventId: NIL_UUID, httpStatus: 500, httpStatusRanges: statusRanges.other },
  { ...emptyDeliveryFilter, deliveryIds: [NIL_UUID], eventType: ALL_CUSTOM_EVENTS },
  { ...emptyDeliveryFilter, endpointIds: [NIL_UUID], endpointUrl: 'https://example.com', endpointName: 'a' },
  { ...emptyDeliveryFilter, customerIds: [NIL_UUID] },
  { ...emptyDeliveryFilter, customerIds: [NIL_UUID], areLowVolume: true },
  { ...emptyDeliveryFilter, organizationId: NIL_UUID, error: 'timeout', hasFailedAttempts: true },
  { ...emptyDeliveryFilter, batchId: NIL_UUID, hasFailedAttempts: false },
];

export const deadLetterStates = ['waiting', ...deliveryResolutions, 'resolved'] as const;
export type DeadLetterState = (typeof deadLetterStates)[number];

/** Condition that delivery `d` is an unresolved dead letter. It is also the condition of the dead letter indexes. */
export const isDeadLetter = `d.state = 'failed' AND d.resolution IS NULL`;

const isResolvedAs = (resolution: DeliveryResolution): string =>
  `d.state = 'failed' AND d.resolution = '${resolution}'`;

/** Conditions for each dead letter state. Each condition requires a separate scan. */
export const baseConditions: Record<DeadLetterState, string[]> = {
  waiting: [isDeadLetter],
  redelivered: [isResolvedAs('redelivered')],
  discarded: [isResolvedAs('discarded')],
  erased: [isResolvedAs('erased')],
  resolved: deliveryResolutions.map(isResolvedAs),
};

interface DeliveryScan {
  /** Condition on every delivery, such as `isDeadLetter`. */
  base: string;
  /** Limits the scan to deliveries with a lower id. */
  before: string | null;
  limit: number;
  /** False to return any `limit` deliveries, unsorted. */
  isOrdered?: boolean;
}

/**
 * Returns SQL for up to `limit` deliveries that a filter scans, newest first, through the most selective index.
 * Applies only the times and the fields that select the index; `addDeliveryConditions` applies the other fields.
 * Never scans outside the access scope, because the caller can see how far a scan went. Resources in the filter are
 * checked against the access scope once, so that the scan contains no join.
 */
export function deliveryScanSql(
  where: Conditions,
  accessScope: AccessScope,
  filter: DeliveryFilter,
  { base, before, limit, isOrdered = true }: DeliveryScan,
): string {
  const ids = filterIdRange(filter, before, MAX_CREATED_AT_SKEW_MS);
  const range = [base, ...rangeConditions(where, filter, ids)].join(' AND ');
  const limitSql = where.bind(limit);
  const newest = `ORDER BY d.id DESC LIMIT ${limitSql}`;
  const rows = (condition: string, columns = 'd.*', order = newest): string =>
    `SELECT ${columns} FROM deliveries d WHERE ${condition} AND ${range} ${order}`;
  // Forces the project's dead letter index, because PostgreSQL would prefer the installation-wide one for a large
  // project. With filter times, the planner must instead be able to estimate from the ids how few rows are left.
  const scanProject = (id: string, condition: string): string => {
    const isTimed = filter.createdAfter ?? filter.createdBefore;
    if (isTimed || base !== isDeadLetter) return rows(`d.project_id = ${id} AND ${condition}`);
    const own = ownerRangeCondition('d', 'project_id', id, {
      first: where.bind(ids.first),
      past: where.bind(ids.past),
    });
    return rows(`${own} AND ${condition}`, 'd.*', `ORDER BY d.project_id DESC, d.id DESC LIMIT ${limitSql}`);
  };
  // Scans each owner in index order and reads only ids, because one sorted scan over all owners would read every row.
  const scanByOwner = (column: string, owners: string): string =>
    `SELECT d.* FROM deliveries d WHERE d.id = ANY (ARRAY(
       SELECT d.id FROM (${owners}) o CROSS JOIN LATERAL (${rows(`d.${column} = o.id`, 'd.id')}) d ${newest}))`;
  const endpoints = (): string =>
    `SELECT w.id FROM webhook_endpoints w WHERE ${where.accessScopeCondition('w', 'w.project_id', accessScope)}`;

  // Checks each of these deliveries against the access scope, because there are few.
  const listedCondition = filter.deliveryIds
    ? `d.id = ANY (${where.bind(filter.deliveryIds)}::uuid[])`
    : filter.eventId && `d.event_id = ${where.bind(filter.eventId)}`;
  if (listedCondition) return rows(`${listedCondition} AND d.endpoint_id IN (${endpoints()})`);
  if (filter.customerIds && filter.areLowVolume) {
    const isInAccessScope = where.accessScopeCondition('d', 'd.project_id', accessScope);
    return `${customerDeliveriesSql(where.bind(filter.customerIds))} WHERE ${range} AND ${isInAccessScope} ${newest}`;
  }
  if (filter.endpointId) {
    const id = where.bind(filter.endpointId);
    return rows(`d.endpoint_id = ${id} AND EXISTS (${endpoints()} AND w.id = ${id})`);
  }
  if (filter.endpointIds) {
    const each = rows('d.endpoint_id = w.id');
    const ids = `${where.bind(filter.endpointIds)}::uuid[]`;
    return `SELECT d.* FROM (${endpoints()} AND w.id = ANY (${ids})) w CROSS JOIN LATERAL (${each}) d
      ${isOrdered ? newest : `LIMIT ${limitSql}`}`;
  }
  if (accessScope.projectId) {
    const id = where.bind(accessScope.projectId);
    // Scans the project's deliveries. If organization-level endpoints may also have received its events, scans the
    // project's own endpoints instead. Only one scan runs.
    const isShared = `EXISTS (SELECT FROM webhook_endpoints w WHERE w.project_id IS NULL
      AND w.organization_id = (SELECT p.organization_id FROM projects p WHERE p.id = ${id}))`;
    const byEndpoint = scanByOwner('endpoint_id', `${endpoints()} AND ${isShared}`);
    return `(${scanProject(id, `NOT ${isShared}`)}) UNION ALL (${byEndpoint})`;
  }
  if (filter.projectId) {
    const id = where.bind(filter.projectId);
    const projects = `SELECT FROM projects p WHERE ${where.accessScopeCondition('p', 'p.id', accessScope)}`;
    return scanProject(id, `EXISTS (${projects} AND p.id = ${id})`);
  }
  const organizations = organizationsSql(where, accessScope, filter);
  return organizations === null ? rows('true') : scanByOwner('organization_id', organizations);
}

/** Returns SQL for the organizations that a filter and an access scope select; null if neither limits them. */
function organizationsSql(
  where: Conditions,
  accessScope: AccessScope,
  { organizationId }: DeliveryFilter,
): string | null {
  if (organizationId) return organizationWithinSql(where, accessScope, organizationId);
  return accessScope.organizationIds && organizationIdsSql(where.bind(accessScope.organizationIds));
}

/**
 * Returns the conditions for a filter's id and time ranges. The scan itself compares the times, so that rows within
 * the slack do not use up the page.
 */
export function rangeConditions(
  where: Conditions,
  { createdAfter, createdBefore }: DeliveryFilter,
  { first, past }: { first: string; past: string },
): string[] {
  return [
    ...(first === NIL_UUID ? [] : [`d.id >= ${where.bind(first)}`]),
    ...(past === MAX_UUID ? [] : [`d.id < ${where.bind(past)}`]),
    ...(createdAfter ? [`d.created_at > ${where.bind(createdAfter)}`] : []),
    ...(createdBefore ? [`d.created_at < ${where.bind(createdBefore)}`] : []),
  ];
}

/** Condition that delivery `d` has a failed attempt. Only a failed attempt is followed by another one. */
const hasFailedAttempts = '(d.attempt > 1 OR d.last_error IS NOT NULL)';

/** Adds the conditions under which a scanned delivery `d` with endpoint `w` matches. */
export function addDeliveryConditions(where: Conditions, filter: DeliveryFilter): Conditions {
  const { endpointUrl, endpointName } = filter;
  if (endpointUrl) where.add(urlPrefixCondition(where, endpointUrl));
  if (endpointName) where.add(endpointNameCondition(where, endpointName));
  if (filter.eventType) where.add(eventTypeCondition(where, 'd.event_type', [filter.eventType]));
  return addHttpStatus(where, 'd.last_http_status', filter)
    .addIf(filter.projectId, (value) => `d.project_id = ${value}`)
    .addIf(filter.organizationId, (value) => `d.organization_id = ${value}`)
    .addIf(filter.endpointId, (value) => `d.endpoint_id = ${value}`)
    .addIf(filter.batchId, (value) => `d.batch_id = ${value}`)
    .addIf(filter.error, (value) => `d.last_error = ${value}`)
    .addIf(filter.hasFailedAttempts, (value) => `${hasFailedAttempts} = ${value}`)
    .addIf(filter.eventId, (value) => `d.event_id = ${value}`)
    .addIf(filter.deliveryIds, (value) => `d.id = ANY (${value}::uuid[])`)
    .addIf(filter.state, (value) => `d.state = ${value}`)
    .addIf(filter.success, (value) => `(d.state = 'succeeded') = ${value}`)
    .addIf(filter.endpointIds, (value) => `d.endpoint_id = ANY (${value}::uuid[])`)
    .addIf(
      filter.customerIds,
      (value) => `(SELECT e.customer_id FROM events e WHERE e.id = d.event_id) = ANY (${value}::uuid[])`,
    );
}

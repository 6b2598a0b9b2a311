import type { DeliveryState, Reach } from '@gatehouse/domain';
import { organizationsWithin, type Conditions } from '../conditions.js';
import { MAX_CREATED_AT_SKEW_MS, filterIdRange, MAX_UUID, NIL_UUID } from '../uuid-v7.js';
import { ownerRangeCondition } from '../owner-range-condition.js';
import { urlPrefixCondition } from '../search/lookups.repository.js';
import { customerDeliveriesSql } from './low-volume-customers.js';

export interface DeliveryFilter {
  projectId: string | null;
  endpointId: string | null;
  eventType: string | null;
  eventId: string | null;
  /** Any of them. */
  deliveryIds: string[] | null;
  state: DeliveryState | null;
  success: boolean | null;
  /** Of the last attempt. */
  httpStatus: number | null;
  /** First and last status of a class; [0, 0] for "nothing answered". */
  httpStatusRange: [number, number] | null;
  createdAfter: Date | null;
  createdBefore: Date | null;
  // What operators alone look for: any of these endpoints, or all whose URL begins so, and what is about any of these
  // customers.
  endpointIds?: string[] | null;
  endpointUrl?: string | null;
  customerIds?: string[] | null;
  /** What is about them is little: see `detectLowVolumeCustomers`. */
  areLowVolume?: boolean;
  /** What has become of a dead letter. */
  resolution?: DeadLetterState;
}

export const deadLetterStates = ['waiting', 'redelivered', 'discarded', 'resolved'] as const;
export type DeadLetterState = (typeof deadLetterStates)[number];

/** What makes a delivery, `d`, a dead letter; also the condition of its indexes. */
export const isDeadLetter = `d.state = 'failed' AND d.resolution IS NULL`;

const isResolvedAs = (resolution: string): string => `d.state = 'failed' AND d.resolution = '${resolution}'`;

/** The same of what has become of one: each of these conditions is a walk of its own. */
export const baseConditions: Record<DeadLetterState, string[]> = {
  waiting: [isDeadLetter],
  redelivered: [isResolvedAs('redelivered')],
  discarded: [isResolvedAs('discarded')],
  resolved: [isResolvedAs('redelivered'), isResolvedAs('discarded')],
};

interface DeliveryScan {
  /** Condition of every one of them, such as `isDeadLetter`. */
  base: string;
  /** Only those with a lower id. */
  before: string | null;
  limit: number;
  /** False: any `limit` of them, in no order. */
  isOrdered?: boolean;
}

/**
 * SQL for the deliveries that a filter looks at, the newest and no more than `limit`: a walk along the index that
 * leaves the fewest. Of the filter it knows the times and what it walks along, nothing of the rest: see `addDeliveryConditions`.
 * Nothing beyond the reach is walked, for how far a walk came can be told from outside. What the filter names is looked
 * for within the reach once, before the walk, which joins nothing.
 */
export function deliveryScanSql(
  where: Conditions,
  reach: Reach,
  filter: DeliveryFilter,
  { base, before, limit, isOrdered = true }: DeliveryScan,
): string {
  const ids = filterIdRange(filter, before, MAX_CREATED_AT_SKEW_MS);
  const range = [base, ...rangeConditions(where, filter, ids)].join(' AND ');
  const most = where.bind(limit);
  const newest = `ORDER BY d.id DESC LIMIT ${most}`;
  const rows = (condition: string, columns = 'd.*', order = newest): string =>
    `SELECT ${columns} FROM deliveries d WHERE ${condition} AND ${range} ${order}`;
  // By the index that only dead letters have of a project: PostgreSQL would take that of the house for a large one. Where
  // there are times it has to see, by the ids, how few are left.
  const ofProject = (id: string, condition: string): string => {
    const isTimed = filter.createdAfter ?? filter.createdBefore;
    if (isTimed || base !== isDeadLetter) return rows(`d.project_id = ${id} AND ${condition}`);
    const own = ownerRangeCondition('d', 'project_id', id, {
      first: where.bind(ids.first),
      past: where.bind(ids.past),
    });
    return rows(`${own} AND ${condition}`, 'd.*', `ORDER BY d.project_id DESC, d.id DESC LIMIT ${most}`);
  };
  // Each owner in the order of its index, by ids alone: one sorted walk over all would read every row.
  const along = (column: string, owners: string): string =>
    `SELECT d.* FROM deliveries d WHERE d.id = ANY (ARRAY(
       SELECT d.id FROM (${owners}) o CROSS JOIN LATERAL (${rows(`d.${column} = o.id`, 'd.id')}) d ${newest}))`;
  const endpoints = (): string =>
    `SELECT w.id FROM webhook_endpoints w WHERE ${where.reachCondition('w', 'w.project_id', reach)}`;

  // Few: each is held against the reach.
  const few = filter.deliveryIds
    ? `d.id = ANY (${where.bind(filter.deliveryIds)}::uuid[])`
    : filter.eventId && `d.event_id = ${where.bind(filter.eventId)}`;
  if (few) return rows(`${few} AND d.endpoint_id IN (${endpoints()})`);
  if (filter.customerIds && filter.areLowVolume) {
    return `${customerDeliveriesSql(where.bind(filter.customerIds))} WHERE ${range} ${newest}`;
  }
  if (filter.endpointId) {
    const id = where.bind(filter.endpointId);
    return rows(`d.endpoint_id = ${id} AND EXISTS (${endpoints()} AND w.id = ${id})`);
  }
  if (filter.endpointIds) {
    const each = rows('d.endpoint_id = w.id');
    return `SELECT d.* FROM unnest(${where.bind(filter.endpointIds)}::uuid[]) w (id) CROSS JOIN LATERAL (${each}) d
      ${isOrdered ? newest : `LIMIT ${most}`}`;
  }
  if (reach.projectId) {
    const id = where.bind(reach.projectId);
    // Along the project, unless organization endpoints heard of it too: then along its own ones. Of the two only one is run.
    const isShared = `EXISTS (SELECT FROM webhook_endpoints w WHERE w.project_id IS NULL
      AND w.organization_id = (SELECT p.organization_id FROM projects p WHERE p.id = ${id}))`;
    const own = along('endpoint_id', `${endpoints()} AND ${isShared}`);
    return `(${ofProject(id, `NOT ${isShared}`)}) UNION ALL (${own})`;
  }
  if (filter.projectId) {
    const id = where.bind(filter.projectId);
    const projects = `SELECT FROM projects p WHERE ${where.reachCondition('p', 'p.id', reach)}`;
    return ofProject(id, `EXISTS (${projects} AND p.id = ${id})`);
  }
  if (!reach.organizationId) return rows('true');
  const own = organizationsWithin(where.bind(reach.organizationId));
  return along('organization_id', `SELECT o.id FROM organizations o WHERE ${own}`);
}

/**
 * Conditions for what is between the filter's ids and times. The times are held against every row on the way: those of
 * the slack must not use the page up.
 */
function rangeConditions(
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

/** Adds what makes a delivery, `d`, of the walk a match; its endpoint is `w`. */
export function addDeliveryConditions(where: Conditions, filter: DeliveryFilter): Conditions {
  const { endpointUrl } = filter;
  if (endpointUrl) where.add(urlPrefixCondition(where, endpointUrl));
  return where
    .addIf(filter.projectId, (value) => `d.project_id = ${value}`)
    .addIf(filter.endpointId, (value) => `d.endpoint_id = ${value}`)
    .addIf(filter.eventType, (value) => `d.event_type = ${value}`)
    .addIf(filter.eventId, (value) => `d.event_id = ${value}`)
    .addIf(filter.deliveryIds, (value) => `d.id = ANY (${value}::uuid[])`)
    .addIf(filter.state, (value) => `d.state = ${value}`)
    .addIf(filter.success, (value) => `(d.state = 'succeeded') = ${value}`)
    .addIf(filter.httpStatus, (value) => `d.last_http_status = ${value}`)
    .addIf(filter.httpStatusRange?.[0], (value) => `d.last_http_status >= ${value}`)
    .addIf(filter.httpStatusRange?.[1], (value) => `d.last_http_status <= ${value}`)
    .addIf(filter.endpointIds, (value) => `d.endpoint_id = ANY (${value}::uuid[])`)
    .addIf(
      filter.customerIds,
      (value) => `(SELECT e.customer_id FROM events e WHERE e.id = d.event_id) = ANY (${value}::uuid[])`,
    );
}

import type { DeliveryState, Reach } from '@gatehouse/domain';
import { organizationsWithin, type Conditions } from '../conditions.js';
import { CREATED_SLACK_MS, idsBetween, LAST_UUID, NIL_UUID } from '../id-times.js';
import { ownedRange } from '../owned-range.js';
import { urlBeginsWith } from '../search/lookups.repository.js';
import { deliveriesAbout } from './quiet-customers.js';

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
  /** What is about them is little: see `knowingCustomers`. */
  areQuiet?: boolean;
  /** What has become of a dead letter. */
  resolution?: DeadLetterState;
}

export const deadLetterStates = ['waiting', 'redelivered', 'discarded', 'resolved'] as const;
export type DeadLetterState = (typeof deadLetterStates)[number];

/** What makes a delivery, `d`, a dead letter; also the condition of its indexes. */
export const isDeadLetter = `d.state = 'failed' AND d.resolution IS NULL`;

const hasBecome = (resolution: string): string => `d.state = 'failed' AND d.resolution = '${resolution}'`;

/** The same of what has become of one: each of these conditions is a walk of its own. */
export const basesOf: Record<DeadLetterState, string[]> = {
  waiting: [isDeadLetter],
  redelivered: [hasBecome('redelivered')],
  discarded: [hasBecome('discarded')],
  resolved: [hasBecome('redelivered'), hasBecome('discarded')],
};

interface Walk {
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
 * leaves the fewest. Of the filter it knows the times and what it walks along, nothing of the rest: see `matchFilter`.
 * Nothing beyond the reach is walked, for how far a walk came can be told from outside. What the filter names is looked
 * for within the reach once, before the walk, which joins nothing.
 */
export function walkDeliveries(
  where: Conditions,
  reach: Reach,
  filter: DeliveryFilter,
  { base, before, limit, isOrdered = true }: Walk,
): string {
  const ids = idsBetween(filter, before, CREATED_SLACK_MS);
  const range = [base, ...spanOf(where, filter, ids)].join(' AND ');
  const most = where.value(limit);
  const newest = `ORDER BY d.id DESC LIMIT ${most}`;
  const rows = (condition: string, columns = 'd.*', order = newest): string =>
    `SELECT ${columns} FROM deliveries d WHERE ${condition} AND ${range} ${order}`;
  // By the index that only dead letters have of a project: PostgreSQL would take that of the house for a large one. Where
  // there are times it has to see, by the ids, how few are left.
  const ofProject = (id: string, condition: string): string => {
    const isTimed = filter.createdAfter ?? filter.createdBefore;
    if (isTimed || base !== isDeadLetter) return rows(`d.project_id = ${id} AND ${condition}`);
    const own = ownedRange('d', 'project_id', id, {
      first: where.value(ids.first),
      past: where.value(ids.past),
    });
    return rows(`${own} AND ${condition}`, 'd.*', `ORDER BY d.project_id DESC, d.id DESC LIMIT ${most}`);
  };
  // Each owner in the order of its index, by ids alone: one sorted walk over all would read every row.
  const along = (column: string, owners: string): string =>
    `SELECT d.* FROM deliveries d WHERE d.id = ANY (ARRAY(
       SELECT d.id FROM (${owners}) o CROSS JOIN LATERAL (${rows(`d.${column} = o.id`, 'd.id')}) d ${newest}))`;
  const endpoints = (): string =>
    `SELECT w.id FROM webhook_endpoints w WHERE ${where.within('w', 'w.project_id', reach)}`;

  // Few: each is held against the reach.
  const few = filter.deliveryIds
    ? `d.id = ANY (${where.value(filter.deliveryIds)}::uuid[])`
    : filter.eventId && `d.event_id = ${where.value(filter.eventId)}`;
  if (few) return rows(`${few} AND d.endpoint_id IN (${endpoints()})`);
  if (filter.customerIds && filter.areQuiet) {
    return `${deliveriesAbout(where.value(filter.customerIds))} WHERE ${range} ${newest}`;
  }
  if (filter.endpointId) {
    const id = where.value(filter.endpointId);
    return rows(`d.endpoint_id = ${id} AND EXISTS (${endpoints()} AND w.id = ${id})`);
  }
  if (filter.endpointIds) {
    const each = rows('d.endpoint_id = w.id');
    return `SELECT d.* FROM unnest(${where.value(filter.endpointIds)}::uuid[]) w (id) CROSS JOIN LATERAL (${each}) d
      ${isOrdered ? newest : `LIMIT ${most}`}`;
  }
  if (reach.projectId) {
    const id = where.value(reach.projectId);
    // Along the project, unless organization endpoints heard of it too: then along its own ones. Of the two only one is run.
    const isShared = `EXISTS (SELECT FROM webhook_endpoints w WHERE w.project_id IS NULL
      AND w.organization_id = (SELECT p.organization_id FROM projects p WHERE p.id = ${id}))`;
    const own = along('endpoint_id', `${endpoints()} AND ${isShared}`);
    return `(${ofProject(id, `NOT ${isShared}`)}) UNION ALL (${own})`;
  }
  if (filter.projectId) {
    const id = where.value(filter.projectId);
    const projects = `SELECT FROM projects p WHERE ${where.within('p', 'p.id', reach)}`;
    return ofProject(id, `EXISTS (${projects} AND p.id = ${id})`);
  }
  if (!reach.organizationId) return rows('true');
  const own = organizationsWithin(where.value(reach.organizationId));
  return along('organization_id', `SELECT o.id FROM organizations o WHERE ${own}`);
}

/**
 * Conditions for what is between the filter's ids and times. The times are held against every row on the way: those of
 * the slack must not use the page up.
 */
function spanOf(
  where: Conditions,
  { createdAfter, createdBefore }: DeliveryFilter,
  { first, past }: { first: string; past: string },
): string[] {
  return [
    ...(first === NIL_UUID ? [] : [`d.id >= ${where.value(first)}`]),
    ...(past === LAST_UUID ? [] : [`d.id < ${where.value(past)}`]),
    ...(createdAfter ? [`d.created_at > ${where.value(createdAfter)}`] : []),
    ...(createdBefore ? [`d.created_at < ${where.value(createdBefore)}`] : []),
  ];
}

/** Adds what makes a delivery, `d`, of the walk a match; its endpoint is `w`. */
export function matchFilter(where: Conditions, filter: DeliveryFilter): Conditions {
  const { endpointUrl } = filter;
  if (endpointUrl) where.add(urlBeginsWith(where, endpointUrl));
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

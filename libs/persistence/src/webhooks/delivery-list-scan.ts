import { URGENCY, type DeliveryState } from '@gatehouse/domain';
import type { ScanOrder } from '../lists/scanned-page.js';
import type { Conditions } from '../sql/conditions.js';
import { filterIdRange, MAX_CREATED_AT_SKEW_MS } from '../sql/uuid-v7.js';
import type { OwnerScope } from './attempt-scope.js';
import { batchDeliveriesSql } from './attempt-source.js';
import { isDeadLetter, rangeConditions, type DeliveryFilter } from './delivery-filter.js';
import { canMatchSuccess } from './http-status-condition.js';
import { customerDeliveriesSql } from './low-volume-customers.js';

/** Sort orders for a delivery list. Each uses an index. `-` means descending. */
export const deliverySorts = ['-created_at', 'created_at', 'next_attempt_at', '-next_attempt_at'] as const;
export type DeliverySort = (typeof deliverySorts)[number];

/** A scan of deliveries in a sort order. */
export interface DeliveryListScan {
  scope: OwnerScope;
  sort: DeliverySort;
  /** Position after which the scan starts: an id, or a `queuePosition` if `isQueueSort`. */
  after: string | null;
  limit: number;
  /** False to return any `limit` deliveries, unsorted. */
  isOrdered?: boolean;
}

/** Returns whether a list in this order contains only deliveries that wait for an attempt. */
export const isQueueSort = (sort: DeliverySort): boolean => sort.endsWith('next_attempt_at');

const isAscending = (sort: DeliverySort): boolean => !sort.startsWith('-');

/** Returns the position of a delivery that waits for an attempt. `next_attempt_at` has millisecond precision. */
export const queuePosition = ({ id, nextAttemptAt }: { id: string; nextAttemptAt: Date | null }): string =>
  `${nextAttemptAt!.getTime()}|${id}`;

/** Returns the scan order for a sort order. */
export function scanOrder(sort: DeliverySort): ScanOrder {
  const direction = isAscending(sort) ? 'ASC' : 'DESC';
  if (!isQueueSort(sort))
    return { scanned: `id ${direction}`, page: `page.id ${direction}`, position: 'id::text' };
  return {
    scanned: `next_attempt_at ${direction}, id ${direction}`,
    page: `page."nextAttemptAt" ${direction}, page.id ${direction}`,
    position: `(extract(epoch FROM next_attempt_at) * 1000)::bigint || '|' || id`,
  };
}

/**
 * Returns SQL for up to `limit` deliveries that a list scans, in its order. Applies only the times and the fields
 * that select an index; `addDeliveryConditions` applies the other fields. The caller must have checked the scope, and
 * must check deliveries that are read by id, event, customer or batch against the access scope.
 */
export function deliveryListSql(where: Conditions, filter: DeliveryFilter, scan: DeliveryListScan): string {
  if (isQueueSort(scan.sort)) return queueSql(where, filter, scan);
  const few = fewDeliveriesSql(where, filter);
  const range = idRange(where, filter, scan);
  if (few !== null) return `SELECT d.* FROM (${few}) d WHERE ${range.sql} ${orderSql(where, scan)}`;
  const scans = listParts(scan.scope, filter).map((part) => `(${partSql(where, part, range, scan)})`);
  if (scans.length === 1) return scans[0]!;
  return `SELECT d.* FROM (${scans.join(' UNION ALL ')}) d ${orderSql(where, scan)}`;
}

/** Returns SQL for a filter's deliveries if the filter can match only a few; otherwise null. */
function fewDeliveriesSql(where: Conditions, filter: DeliveryFilter): string | null {
  const { deliveryIds, eventId, customerIds, areLowVolume, batchId, isSmallBatch } = filter;
  const rows = (condition: string): string => `SELECT d.* FROM deliveries d WHERE ${condition} OFFSET 0`;
  if (deliveryIds) return rows(`d.id = ANY (${where.bind(deliveryIds)}::uuid[])`);
  if (eventId) return rows(`d.event_id = ${where.bind(eventId)}`);
  if (customerIds && areLowVolume) return customerDeliveriesSql(where.bind(customerIds));
  return batchId && isSmallBatch ? batchDeliveriesSql(where.bind(batchId)) : null;
}

/** The deliveries in one index. */
interface Part {
  condition: string;
  /** True if the index provides the list's order. Otherwise, all rows in the scope are read and sorted. */
  isSorted: boolean;
  /** Column between the owner and the id in the index, with its value. */
  key?: { column: 'state' | 'resolution'; value: string };
  /**
   * True if other indexes contain the same deliveries. An owner's ids are then read first, with an index-only scan.
   * Otherwise, for a long scan, PostgreSQL would consider it equally cheap to read and sort the deliveries of all
   * owners.
   */
  isReadById?: boolean;
}

const pending: Part = { condition: `d.state = 'pending'`, isSorted: false };
const cancelled: Part = { condition: `d.state = 'cancelled'`, isSorted: true };
const finished: Part = { condition: `d.state IN ('succeeded', 'cancelled')`, isSorted: true };
const finishedAs = (value: DeliveryState): Part => ({
  condition: finished.condition,
  isSorted: true,
  key: { column: 'state', value },
});
const failed: Part[] = [
  { condition: isDeadLetter, isSorted: true, isReadById: true },
  ...(['redelivered', 'discarded', 'erased'] as const).map((value): Part => ({
    condition: `d.state = 'failed' AND d.resolution IS NOT NULL`,
    isSorted: true,
    isReadById: true,
    key: { column: 'resolution', value },
  })),
];
const every: Part = { condition: 'true', isSorted: true };

/** Returns the parts that together contain all of a filter's matches. */
function listParts({ column }: OwnerScope, filter: DeliveryFilter): Part[] {
  const states = listStates(filter);
  if (column === null && states.includes('succeeded')) return [every];
  // The endpoint index contains both states, so a condition on one of them is checked for each row.
  const succeeded = column === 'endpoint_id' ? [finished] : [finishedAs('succeeded')];
  const isCancelledIncluded = column === 'endpoint_id' && states.includes('succeeded');
  const cancelledParts = column === 'endpoint_id' || column === null ? cancelled : finishedAs('cancelled');
  const parts: Record<DeliveryState, Part[]> = {
    pending: [pending],
    succeeded,
    failed,
    cancelled: isCancelledIncluded ? [] : [cancelledParts],
  };
  return states.flatMap((state) => parts[state]);
}

/**
 * Returns the states that a filter's matches can have. States with the fewest deliveries come first, and counts read
 * the states in this order.
 */
function listStates(filter: DeliveryFilter): DeliveryState[] {
  const { state, success, error } = filter;
  if (state) return [state];
  if (success === true) return ['succeeded'];
  const isUnsuccessful = success === false || Boolean(error) || !canMatchSuccess(filter);
  return isUnsuccessful
    ? ['failed', 'cancelled', 'pending']
    : ['failed', 'cancelled', 'pending', 'succeeded'];
}

interface Range {
  first: string;
  past: string;
  /** Conditions on ids and times. */
  sql: string;
}

function idRange(where: Conditions, filter: DeliveryFilter, { sort, after }: DeliveryListScan): Range {
  const isForward = isAscending(sort);
  const { first, past } = filterIdRange(filter, isForward ? null : after, MAX_CREATED_AT_SKEW_MS);
  const from = isForward && after !== null && after > first ? after : first;
  const conditions = ['true', ...rangeConditions(where, filter, { first: from, past })];
  if (isForward && after !== null) conditions.push(`d.id > ${where.bind(after)}`);
  return { first: from, past, sql: conditions.join(' AND ') };
}

/** Returns SQL for a part's next deliveries in order, across all owners. */
function partSql(where: Conditions, part: Part, range: Range, scan: DeliveryListScan): string {
  const { column, ids } = scan.scope;
  const order = orderSql(where, scan);
  if (!part.isSorted) return `SELECT d.* FROM (${pendingSql(where, scan)}) d WHERE ${range.sql} ${order}`;
  const { condition, key, isReadById = false } = part;
  if (column === null) {
    const keyCondition = key ? `AND d.${key.column} = '${key.value}'` : '';
    return `SELECT d.* FROM deliveries d WHERE ${condition} ${keyCondition} AND ${range.sql} ${order}`;
  }
  const owned = `SELECT ${isReadById ? 'd.id' : 'd.*'} FROM deliveries d
    WHERE ${condition} AND ${range.sql} AND ${ownerOrderSql(where, part, range, { ...scan, column })}`;
  const scopes = `unnest(${where.bind(ids)}::uuid[]) scope (id)`;
  const rows = `SELECT d.* FROM ${scopes} CROSS JOIN LATERAL (${owned}) d ${order}`;
  return isReadById ? `SELECT d.* FROM deliveries d WHERE d.id = ANY (ARRAY(${rows})) ${order}` : rows;
}

/**
 * Returns the condition and order for an owner's deliveries in a part's index. Compares and orders rows, so that only
 * an index with the owner provides the order, regardless of PostgreSQL's estimates. An organization may have few
 * deliveries, and a scan must not read other organizations' deliveries.
 */
function ownerOrderSql(
  where: Conditions,
  { key }: Part,
  { first, past }: Range,
  { column, sort, limit }: DeliveryListScan & { column: NonNullable<OwnerScope['column']> },
): string {
  const columns = [column, ...(key ? [key.column] : []), 'id'].map((name) => `d.${name}`);
  const row = `(${columns.join(', ')})`;
  const bound = (id: string): string =>
    ['scope.id', ...(key ? [`'${key.value}'`] : []), where.bind(id)].join(', ');
  const direction = isAscending(sort) ? 'ASC' : 'DESC';
  const orderBy = columns.map((name) => `${name} ${direction}`).join(', ');
  return `${row} >= (${bound(first)}) AND ${row} < (${bound(past)}) ORDER BY ${orderBy} LIMIT ${where.bind(limit)}`;
}

/**
 * Returns SQL for all pending deliveries in a scope. An unordered scan reads them in index order and stops at its
 * limit. Without that order, PostgreSQL would scan the table, where it expects to find some pending deliveries soon.
 */
function pendingSql(
  where: Conditions,
  { scope: { column, ids }, isOrdered = true }: DeliveryListScan,
): string {
  const isOwned = column === null ? '' : `AND d.${column} = ANY (${where.bind(ids)}::uuid[])`;
  const order = isOrdered ? '' : 'ORDER BY d.endpoint_id, d.event_id';
  return `SELECT d.* FROM deliveries d WHERE d.state = 'pending' ${isOwned} ${order} OFFSET 0`;
}

function orderSql(where: Conditions, { sort, limit, isOrdered = true }: DeliveryListScan): string {
  const limitSql = `LIMIT ${where.bind(limit)}`;
  return isOrdered ? `ORDER BY d.id ${isAscending(sort) ? 'ASC' : 'DESC'} ${limitSql}` : limitSql;
}

/** Returns SQL for the deliveries that wait for an attempt, ordered by next attempt. */
function queueSql(where: Conditions, filter: DeliveryFilter, scan: DeliveryListScan): string {
  const few = fewDeliveriesSql(where, filter);
  const { first, past } = filterIdRange(filter, null, MAX_CREATED_AT_SKEW_MS);
  const conditions = [
    `d.state = 'pending' AND d.lease_until IS NULL`,
    ...rangeConditions(where, filter, { first, past }),
    ...positionConditions(where, scan),
  ].join(' AND ');
  const direction = isAscending(scan.sort) ? 'ASC' : 'DESC';
  const next = `ORDER BY d.next_attempt_at ${direction}, d.id ${direction} LIMIT ${where.bind(scan.limit)}`;
  if (few !== null || scan.scope.column !== null)
    return `SELECT d.* FROM (${few ?? pendingSql(where, scan)}) d WHERE ${conditions} ${next}`;
  const urgencies = Object.values(URGENCY).map((urgency) => `(${urgency})`);
  return `SELECT d.* FROM (VALUES ${urgencies.join(', ')}) queue (urgency) CROSS JOIN LATERAL (
      SELECT d.* FROM deliveries d WHERE d.urgency = queue.urgency AND ${conditions} ${next}
    ) d ${next}`;
}

/** Returns the conditions for deliveries after a queue position. */
function positionConditions(where: Conditions, { sort, after }: DeliveryListScan): string[] {
  if (after === null) return ['d.next_attempt_at IS NOT NULL'];
  const [time, id] = after.split('|') as [string, string];
  const at = `${where.bind(new Date(Number(time)))}::timestamptz`;
  const sign = isAscending(sort) ? '>' : '<';
  return [
    `d.next_attempt_at ${sign}= ${at}`,
    `(d.next_attempt_at, d.id) ${sign} (${at}, ${where.bind(id)}::uuid)`,
  ];
}

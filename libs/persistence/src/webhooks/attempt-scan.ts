import type { AccessScope } from '@gatehouse/domain';
import { eventTypeCondition } from '../events/event-type-condition.js';
import { ownerRangeCondition } from '../lists/owner-range-condition.js';
import { Conditions } from '../sql/conditions.js';
import { minIdAt, parseIdTime } from '../sql/uuid-v7.js';
import { DAY_MS, startOfDay } from './attempt-partitions.js';
import type { AttemptFilter, AttemptScope } from './attempt-scope.js';
import { endpointNameCondition, urlPrefixCondition } from './endpoint-conditions.js';
import { addHttpStatus, canMatchSuccess } from './http-status-condition.js';

/**
 * Returns the conditions under which an attempt in the scope matches.
 * @param delivery returns SQL for a column of the attempt's delivery
 */
export function attemptConditions(
  { column }: Pick<AttemptScope, 'column'>,
  accessScope: AccessScope,
  filter: AttemptFilter,
  delivery = (name: 'state' | 'batch_id'): string => `d.${name}`,
): Conditions {
  const where = addHttpStatus(new Conditions().add('true'), 'a.http_status', filter)
    .addIf(filter.projectId, (value) => `a.project_id = ${value}`)
    .addIf(filter.organizationId, (value) => `a.organization_id = ${value}`)
    .addIf(filter.endpointId, (value) => `a.endpoint_id = ${value}`)
    .addIf(filter.deliveryState, (value) => `${delivery('state')} = ${value}`)
    .addIf(filter.batchId, (value) => `${delivery('batch_id')} = ${value}`)
    .addIf(filter.error, (value) => `a.error = ${value}`)
    .addIf(filter.success, (value) => `a.success = ${value}`)
    .addIf(filter.createdAfter, (value) => `a.started_at > ${value}`)
    .addIf(filter.createdBefore, (value) => `a.started_at < ${value}`)
    .addIf(filter.attempt, (value) => `a.attempt = ${value}`)
    .addIf(filter.attemptId, (value) => `a.id = ${value}`)
    .addIf(filter.endpointIds, (value) => `a.endpoint_id = ANY (${value}::uuid[])`)
    .addIf(
      filter.customerIds,
      (value) => `(SELECT e.customer_id FROM events e WHERE e.id = a.event_id) = ANY (${value}::uuid[])`,
    );
  const { endpointUrl, endpointName, eventType } = filter;
  if (eventType) where.add(eventTypeCondition(where, 'a.event_type', [eventType]));
  const addEndpoint = (condition: string): Conditions =>
    where.add(`(SELECT ${condition} FROM webhook_endpoints w WHERE w.id = a.endpoint_id)`);
  if (endpointUrl) addEndpoint(urlPrefixCondition(where, endpointUrl));
  if (endpointName) addEndpoint(endpointNameCondition(where, endpointName));
  if (column !== 'project_id') return where;
  // A project key has access to attempts to project-level endpoints, but not to organization-level ones.
  return where.addIf(
    accessScope.projectId,
    (value) => `(SELECT w.project_id FROM webhook_endpoints w WHERE w.id = a.endpoint_id) = ${value}`,
  );
}

/**
 * Returns whether only failed attempts can match. A successful attempt has a 2xx status and is the last attempt of
 * its delivery.
 */
export function matchesOnlyFailed(filter: AttemptFilter): boolean {
  const { success, error, deliveryState } = filter;
  const isUndelivered = deliveryState !== null && deliveryState !== 'succeeded';
  return success === false || Boolean(error) || !canMatchSuccess(filter) || isUndelivered;
}

/**
 * Returns SQL for up to `limit` attempts in a scope, newest first. Compares ids with values from a subquery, which
 * the planner cannot estimate, so that it always uses the scope's index. The planner knows the days in advance, and
 * skips the partitions for all other days.
 * @param isOrdered false to return any `limit` attempts in the scope, unsorted
 */
export function attemptScanSql(
  where: Conditions,
  { column, ids, from, to }: AttemptScope,
  onlyFailed: boolean,
  limit: number,
  isOrdered = true,
): string {
  const firstDay = where.bind(minIdAt(startOfDay(parseIdTime(from))));
  const lastDay = where.bind(minIdAt(startOfDay(parseIdTime(to) - 1) + DAY_MS));
  const days = `a.id >= ${firstDay} AND a.id < ${lastDay} ${onlyFailed ? 'AND NOT a.success' : ''}`;
  const limitSql = where.bind(limit);
  if (column === null) {
    const range = `a.id >= ${where.bind(from)} AND a.id < ${where.bind(to)}`;
    return `SELECT a.* FROM attempts a WHERE ${range} AND ${days} ORDER BY a.id DESC LIMIT ${limitSql}`;
  }
  const bounds = [ids, ids.map(() => from), ids.map(() => to)].map((each) => `${where.bind(each)}::uuid[]`);
  return `SELECT a.* FROM unnest(${bounds.join(', ')}) scope (id, first, past) CROSS JOIN LATERAL (
      SELECT a.* FROM attempts a
      WHERE ${ownerRangeCondition('a', column, 'scope.id', { first: 'scope.first', past: 'scope.past' })}
        AND ${days}
      ORDER BY a.${column} DESC, a.id DESC LIMIT ${limitSql}
    ) a ${isOrdered ? 'ORDER BY a.id DESC' : ''} LIMIT ${limitSql}`;
}

// This file contains SQL: bounded scans by filter and reach.
import { ALL_CUSTOM_EVENTS, type Reach } from '@gatehouse/domain';
import {
  capScanCount,
  countedRow,
  countedSql,
  COUNT_CAP,
  COUNT_SCAN_LIMIT,
  type CappedCount,
} from '../lists/capped-count.js';
import { Conditions, organizationIdsSql, sampleReaches } from '../sql/conditions.js';
import { visibleBody } from './erasure-sql.js';
import type { Database } from '../database/database.js';
import { MAX_CREATED_AT_SKEW_MS, filterIdRange, NIL_UUID } from '../sql/uuid-v7.js';
import { ownerRangeCondition } from '../lists/owner-range-condition.js';
import { boundedScanRow, boundedScanSql, scanPage, type ScannedPage } from '../lists/scanned-page.js';
import { dynamicStatement, text, uuid } from '../sql/statements.js';
import type { FeedEvent } from './event-feed.repository.js';
import { eventTypeCondition } from './event-type-condition.js';

export interface EventFilter {
  projectId: string | null;
  /** Null for every type. `app.*` stands for all custom types. */
  types: string[] | null;
  createdAfter: Date | null;
  createdBefore: Date | null;
  eventId: string | null;
  /** Matches any of these. */
  customerIds: string[] | null;
}

/** Maximum number of events that a page scans if few of them match. The next page continues from there. */
const PAGE_SCAN_LIMIT = 5_000;

const noFilter: EventFilter = {
  projectId: null,
  types: null,
  createdAfter: null,
  createdBefore: null,
  eventId: null,
  customerIds: null,
};

const sampleFilters: EventFilter[] = [
  noFilter,
  { ...noFilter, projectId: NIL_UUID, types: ['customer.created'] },
  { ...noFilter, types: [ALL_CUSTOM_EVENTS] },
  { ...noFilter, customerIds: [NIL_UUID], createdAfter: new Date(0), createdBefore: new Date(0) },
  { ...noFilter, eventId: NIL_UUID },
];
const sampleCalls = sampleReaches.flatMap((reach) => sampleFilters.map((filter) => [reach, filter] as const));

/** Returns the maximum number of events that a count scans. */
const countWindow = ({ types }: EventFilter): number => (types ? COUNT_SCAN_LIMIT : COUNT_CAP + 1);

const countEvents = dynamicStatement(
  countedRow,
  (reach: Reach, filter: EventFilter) => {
    const where = matchConditions(reach, filter);
    const isMatch = where.sql;
    const rows = `(${eventScanSql(where, reach, filter, null, countWindow(filter))}) e`;
    return { text: countedSql(rows, isMatch), values: where.values };
  },
  sampleCalls,
);

/**
 * Returns the matches among the next `window` events, and the last scanned id if there are at least that
 * many.
 */
const scanEvents = dynamicStatement(
  boundedScanRow({ id: uuid, body: text }),
  (reach: Reach, filter: EventFilter, before: string | null, window: number, limit: number) => {
    const where = matchConditions(reach, filter);
    const ids = `SELECT e.id FROM scanned e WHERE ${where.sql} ORDER BY e.id DESC LIMIT ${where.bind(limit + 1)}`;
    const page = `
      SELECT e.id, ${visibleBody('e')} AS body FROM (${ids}) matching JOIN events e ON e.id = matching.id`;
    const scan = eventScanSql(where, reach, filter, before, window);
    return { text: boundedScanSql(where, scan, page, window), values: where.values };
  },
  sampleCalls.map((call) => [...call, null, 1, 1] as const),
);

/**
 * The list of events for operators: newest first, by id, with a bounded scan. Unlike in the feed, an event of
 * a long transaction can appear before a cursor that was returned.
 */
export class EventSearchRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns up to `limit` events within a reach, newest first.
   * @param before last id of the previous page
   */
  listPage(
    reach: Reach,
    filter: EventFilter,
    before: string | null,
    limit: number,
  ): Promise<ScannedPage<FeedEvent>> {
    return scanPage([limit + 1, PAGE_SCAN_LIMIT], before, limit, (after, window) =>
      this.database.execute(scanEvents(reach, filter, after, window, limit)),
    );
  }

  /** Counts the matching events within a reach in a bounded scan. */
  async count(reach: Reach, filter: EventFilter): Promise<CappedCount> {
    const [counted] = await this.database.execute(countEvents(reach, filter));
    return capScanCount(counted!, countWindow(filter));
  }
}

/** Returns the conditions of a match among the scanned events. */
function matchConditions(reach: Reach, filter: EventFilter): Conditions {
  const where = new Conditions()
    .addReach('e', 'e.project_id', reach)
    .addIf(filter.eventId, (value) => `e.id = ${value}`)
    .addIf(filter.projectId, (value) => `e.project_id = ${value}`)
    .addIf(filter.customerIds, (value) => `e.customer_id = ANY (${value}::uuid[])`)
    .addIf(filter.createdAfter, (value) => `e.created_at > ${value}`)
    .addIf(filter.createdBefore, (value) => `e.created_at < ${value}`);
  return filter.types ? where.add(eventTypeCondition(where, 'e.type', filter.types)) : where;
}

/**
 * Returns SQL for the newest events, newest first and at most `limit`: those of the filter's customers or
 * project, or those within the reach. The caller has checked that the customers are within the reach.
 */
function eventScanSql(
  where: Conditions,
  reach: Reach,
  filter: EventFilter,
  before: string | null,
  limit: number,
): string {
  const { eventId, projectId, customerIds } = filter;
  const ids = filterIdRange(filter, before, MAX_CREATED_AT_SKEW_MS);
  const past = where.bind(ids.past);
  const columns = 'e.id, e.organization_id, e.project_id, e.customer_id, e.type, e.created_at';
  if (eventId)
    return `SELECT ${columns} FROM events e WHERE e.id = ${where.bind(eventId)} AND e.id < ${past}`;
  const first = where.bind(ids.first);
  const limitSql = where.bind(limit);
  const rows = (column: string, value: string, condition = 'true'): string =>
    `SELECT ${columns} FROM events e
     WHERE ${ownerRangeCondition('e', column, value, { first, past })} AND ${condition}
     ORDER BY e.${column} DESC, e.id DESC LIMIT ${limitSql}`;
  const newest = `ORDER BY e.id DESC LIMIT ${limitSql}`;
  if (customerIds) {
    return `SELECT e.* FROM unnest(${where.bind(customerIds)}::uuid[]) c (id)
      CROSS JOIN LATERAL (${rows('customer_id', 'c.id')}) e ${newest}`;
  }
  if (projectId) {
    const id = where.bind(projectId);
    const isWithin = where.reachCondition('p', 'p.id', reach);
    return rows('project_id', id, `EXISTS (SELECT FROM projects p WHERE p.id = ${id} AND ${isWithin})`);
  }
  if (reach.projectId) return rows('project_id', where.bind(reach.projectId));
  if (!reach.organizationIds)
    return `SELECT ${columns} FROM events e WHERE e.id >= ${first} AND e.id < ${past} ${newest}`;
  return `SELECT e.* FROM (${organizationIdsSql(where.bind(reach.organizationIds))}) o
    CROSS JOIN LATERAL (${rows('organization_id', 'o.id')}) e ${newest}`;
}

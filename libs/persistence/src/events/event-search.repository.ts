import type { Reach } from '@gatehouse/domain';
import { countMatches, COUNT_CAP, COUNT_SCAN_LIMIT, type CappedCount } from '../capped-count.js';
import { Conditions } from '../conditions.js';
import { visibleBody } from '../customers/erasure-sql.js';
import type { Database } from '../database.js';
import { MAX_CREATED_AT_SKEW_MS, filterIdRange } from '../uuid-v7.js';
import { ownerRangeCondition } from '../owner-range-condition.js';
import { boundedScanSql, scanPage, type ScannedPage, type ScannedRow } from '../scanned-page.js';
import type { FeedEvent } from './event-feed.repository.js';

export interface EventFilter {
  projectId: string | null;
  /** Null: every type. */
  types: string[] | null;
  createdAfter: Date | null;
  createdBefore: Date | null;
  eventId: string | null;
  /** Any of them. */
  customerIds: string[] | null;
}

/** Events that a page looks at when few of the first ones match; the next page goes on from there. */
const PAGE_SCAN_LIMIT = 5_000;

/**
 * Events as operators look through them: newest first, by their ids, however many there are. Unlike in the feed one
 * may appear behind a cursor when its transaction took long.
 */
export class EventSearchRepository {
  constructor(private readonly database: Database) {}

  /** Up to `limit` events within a reach, newest first. @param before the last id of the page before */
  listPage(
    reach: Reach,
    filter: EventFilter,
    before: string | null,
    limit: number,
  ): Promise<ScannedPage<FeedEvent>> {
    return scanPage([limit + 1, PAGE_SCAN_LIMIT], before, limit, (after, window) =>
      this.scan(reach, filter, after, window, limit),
    );
  }

  /** How many events within a reach match, as far as a bounded look finds out. */
  async count(reach: Reach, filter: EventFilter): Promise<CappedCount> {
    const where = matchConditions(reach, filter);
    const isMatch = where.sql;
    const window = filter.types ? COUNT_SCAN_LIMIT : COUNT_CAP + 1;
    const rows = `(${eventScanSql(where, filter, null, window)}) e`;
    return countMatches(this.database, { rows, isMatch, values: where.values }, window);
  }

  /** The matches among the next `window` events, and the last of these if there are so many. */
  private scan(
    reach: Reach,
    filter: EventFilter,
    before: string | null,
    window: number,
    limit: number,
  ): Promise<ScannedRow<FeedEvent>[]> {
    const where = matchConditions(reach, filter);
    const ids = `SELECT e.id FROM walked e WHERE ${where.sql} ORDER BY e.id DESC LIMIT ${where.bind(limit + 1)}`;
    const page = `SELECT e.id, ${visibleBody('e')} AS body FROM (${ids}) i JOIN events e ON e.id = i.id`;
    const walk = eventScanSql(where, filter, before, window);
    return this.database.query<ScannedRow<FeedEvent>>(
      boundedScanSql(where, walk, page, window),
      where.values,
    );
  }
}

/** What makes an event of the walk a match. */
function matchConditions(reach: Reach, filter: EventFilter): Conditions {
  return new Conditions()
    .addReach('e', 'e.project_id', reach)
    .addIf(filter.eventId, (value) => `e.id = ${value}`)
    .addIf(filter.projectId, (value) => `e.project_id = ${value}`)
    .addIf(filter.customerIds, (value) => `e.customer_id = ANY (${value}::uuid[])`)
    .addIf(filter.types, (value) => `e.type = ANY (${value})`)
    .addIf(filter.createdAfter, (value) => `e.created_at > ${value}`)
    .addIf(filter.createdBefore, (value) => `e.created_at < ${value}`);
}

/**
 * SQL for the newest events, newest first and no more than `limit`: of the filter's customers, of its project, or of all.
 */
function eventScanSql(where: Conditions, filter: EventFilter, before: string | null, limit: number): string {
  const { eventId, projectId, customerIds } = filter;
  const ids = filterIdRange(filter, before, MAX_CREATED_AT_SKEW_MS);
  const past = where.bind(ids.past);
  const columns = 'e.id, e.organization_id, e.project_id, e.customer_id, e.type, e.created_at';
  if (eventId)
    return `SELECT ${columns} FROM events e WHERE e.id = ${where.bind(eventId)} AND e.id < ${past}`;
  const first = where.bind(ids.first);
  const most = where.bind(limit);
  const rows = (column: string, value: string): string =>
    `SELECT ${columns} FROM events e
     WHERE ${ownerRangeCondition('e', column, value, { first, past })}
     ORDER BY e.${column} DESC, e.id DESC LIMIT ${most}`;
  if (customerIds) {
    return `SELECT e.* FROM unnest(${where.bind(customerIds)}::uuid[]) c (id)
      CROSS JOIN LATERAL (${rows('customer_id', 'c.id')}) e ORDER BY e.id DESC LIMIT ${most}`;
  }
  if (projectId) return rows('project_id', where.bind(projectId));
  return `SELECT ${columns} FROM events e WHERE e.id >= ${first} AND e.id < ${past} ORDER BY e.id DESC LIMIT ${most}`;
}

import type { Reach } from '@gatehouse/domain';
import { countWithin, MOST_COUNTED, MOST_LOOKED, type CappedCount } from '../capped-count.js';
import { Conditions } from '../conditions.js';
import { shownBody } from '../customers/erased.js';
import type { Database } from '../database.js';
import { CREATED_SLACK_MS, idsBetween } from '../id-times.js';
import { ownedRange } from '../owned-range.js';
import { lookAlong, walkPage, type WalkedPage, type WalkedRow } from '../walked-page.js';
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
const SCANNED_ROWS = 5_000;

/**
 * Events as operators look through them: newest first, by their ids, however many there are. Unlike in the feed one
 * may appear behind a cursor when its transaction took long.
 */
export class HouseEventsRepository {
  constructor(private readonly database: Database) {}

  /** Up to `limit` events within a reach, newest first. @param before the last id of the page before */
  page(
    reach: Reach,
    filter: EventFilter,
    before: string | null,
    limit: number,
  ): Promise<WalkedPage<FeedEvent>> {
    return walkPage([limit + 1, SCANNED_ROWS], before, limit, (after, window) =>
      this.look(reach, filter, after, window, limit),
    );
  }

  /** How many events within a reach match, as far as a bounded look finds out. */
  async count(reach: Reach, filter: EventFilter): Promise<CappedCount> {
    const where = matches(reach, filter);
    const isMatch = where.sql;
    const window = filter.types ? MOST_LOOKED : MOST_COUNTED + 1;
    const rows = `(${walkEvents(where, filter, null, window)}) e`;
    return countWithin(this.database, { rows, isMatch, values: where.values }, window);
  }

  /** The matches among the next `window` events, and the last of these if there are so many. */
  private look(
    reach: Reach,
    filter: EventFilter,
    before: string | null,
    window: number,
    limit: number,
  ): Promise<WalkedRow<FeedEvent>[]> {
    const where = matches(reach, filter);
    const ids = `SELECT e.id FROM walked e WHERE ${where.sql} ORDER BY e.id DESC LIMIT ${where.value(limit + 1)}`;
    const page = `SELECT e.id, ${shownBody('e')} AS body FROM (${ids}) i JOIN events e ON e.id = i.id`;
    const walk = walkEvents(where, filter, before, window);
    return this.database.query<WalkedRow<FeedEvent>>(lookAlong(where, walk, page, window), where.values);
  }
}

/** What makes an event of the walk a match. */
function matches(reach: Reach, filter: EventFilter): Conditions {
  return new Conditions()
    .reach('e', 'e.project_id', reach)
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
function walkEvents(where: Conditions, filter: EventFilter, before: string | null, limit: number): string {
  const { eventId, projectId, customerIds } = filter;
  const ids = idsBetween(filter, before, CREATED_SLACK_MS);
  const past = where.value(ids.past);
  const columns = 'e.id, e.organization_id, e.project_id, e.customer_id, e.type, e.created_at';
  if (eventId)
    return `SELECT ${columns} FROM events e WHERE e.id = ${where.value(eventId)} AND e.id < ${past}`;
  const first = where.value(ids.first);
  const most = where.value(limit);
  const rows = (column: string, value: string): string =>
    `SELECT ${columns} FROM events e
     WHERE ${ownedRange('e', column, value, { first, past })}
     ORDER BY e.${column} DESC, e.id DESC LIMIT ${most}`;
  if (customerIds) {
    return `SELECT e.* FROM unnest(${where.value(customerIds)}::uuid[]) c (id)
      CROSS JOIN LATERAL (${rows('customer_id', 'c.id')}) e ORDER BY e.id DESC LIMIT ${most}`;
  }
  if (projectId) return rows('project_id', where.value(projectId));
  return `SELECT ${columns} FROM events e WHERE e.id >= ${first} AND e.id < ${past} ORDER BY e.id DESC LIMIT ${most}`;
}

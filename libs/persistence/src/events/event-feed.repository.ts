// Raw SQL: bounded scans that are limited by filters and access scope, comparisons of transaction ids, and a multi-row
// update.
import { ALL_CUSTOM_EVENTS, type AccessScope } from '@gatehouse/domain';
import type { Database } from '../database/database.js';
import type { Transactions } from '../database/transactions.js';
import { Conditions, organizationsWithin, sampleAccessScopes } from '../sql/conditions.js';
import {
  boolean,
  dynamicStatement,
  integer,
  nullable,
  smallint,
  statement,
  text,
  uuid,
  type RowOf,
} from '../sql/statements.js';
import { minIdAt, NIL_UUID } from '../sql/uuid-v7.js';
import { visibleBody } from './erasure-sql.js';
import { eventTypeCondition } from './event-type-condition.js';

/** A position between two events in the feed. */
export interface FeedPosition {
  /** Increases when the transaction ids restart (see `realign`). */
  epoch: number;
  /** Id of the transaction that wrote the previous event. */
  xact: bigint;
  /** The previous event's id. */
  id: string;
}

export interface FeedFilter {
  projectId: string | null;
  /** Null for all types. `app.*` matches all custom types. */
  types: string[] | null;
  createdAfter: Date | null;
}

/** An event with its body, byte for byte as in its webhooks. */
export interface FeedEvent {
  id: string;
  body: string;
}

export interface FeedPage {
  events: FeedEvent[];
  /** The next page's start, even if no further events exist yet. */
  nextPosition: FeedPosition;
  hasMore: boolean;
}

/** Maximum number of rows scanned for one page. If few of them match, the next page continues from there. */
const PAGE_SCAN_LIMIT = 5_000;

/**
 * The transaction id that `realign` assigns to all existing events. It is lower than the id of any later
 * transaction.
 */
export const REALIGNED_XACT = 3n;

const REALIGN_BATCH_SIZE = 10_000;

/**
 * Maximum difference, with a margin, between an event's `created_at` and the time at which its transaction id was
 * assigned.
 */
const MAX_XACT_SKEW_MS = 60_000;

/**
 * Total event body size, in bytes, after which a page ends before its limit. 200 custom events can add up to 6 MB, and
 * several copies are in memory while a page is sent.
 */
const MAX_PAGE_BYTES = 2 ** 21;

/**
 * A matching event, or the last scanned row, which contains the numbers of scanned rows and matches instead of a
 * body.
 */
const feedRow = {
  /** Id of the transaction that wrote the event. */
  xact: text,
  id: uuid,
  body: nullable(text),
  scannedCount: nullable(integer),
  matchCount: nullable(integer),
};

const readFeed = dynamicStatement(
  feedRow,
  (accessScope: AccessScope, filter: FeedFilter, after: FeedPosition, window: number, limit: number) => {
    const where = new Conditions();
    const scan = feedScanSql(where, accessScope, filter, after, window);
    const typeCondition = filter.types ? `WHERE ${eventTypeCondition(where, 'type', filter.types)}` : '';
    const sql = `
      WITH scanned AS MATERIALIZED (${scan}),
        page AS (SELECT xact, id FROM scanned ${typeCondition} ORDER BY xact, id LIMIT ${where.bind(limit)})
      SELECT xact::text, id, body, NULL::int AS "scannedCount", NULL::int AS "matchCount"
      FROM (SELECT page.xact, page.id, ${visibleBody('e')} AS body,
              sum(octet_length(e.body)) OVER (ORDER BY page.xact, page.id) - octet_length(e.body) AS bytes_before
            FROM page JOIN events e ON e.id = page.id) sized
      WHERE bytes_before < ${MAX_PAGE_BYTES}
      UNION ALL
      (SELECT last.xact::text, last.id, NULL, (SELECT count(*)::int FROM scanned), (SELECT count(*)::int FROM page)
       FROM scanned last ORDER BY last.xact DESC, last.id DESC LIMIT 1)`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.flatMap((accessScope) =>
    [
      { projectId: null, types: null, createdAfter: null },
      { projectId: NIL_UUID, types: ['customer.created'], createdAfter: new Date(0) },
      { projectId: NIL_UUID, types: [ALL_CUSTOM_EVENTS], createdAfter: null },
    ].map((filter) => [accessScope, filter, { epoch: 0, xact: 0n, id: NIL_UUID }, 1, 1] as const),
  ),
);

const findEvent = dynamicStatement(
  { id: uuid, body: text },
  (accessScope: AccessScope, id: string) => {
    const where = new Conditions().addAccessScope('e', 'e.project_id', accessScope);
    const sql = `SELECT e.id, ${visibleBody('e')} AS body FROM events e WHERE ${where.sql} AND e.id = ${where.bind(id)}`;
    return { text: sql, values: where.values };
  },
  sampleAccessScopes.map((accessScope) => [accessScope, NIL_UUID] as const),
);

/**
 * The start is not later than the oldest running transaction, because its events may be older than the first visible
 * event.
 */
const findStartPosition = statement(
  { epoch: smallint, xact: text },
  `SELECT epoch, CASE WHEN $1::uuid IS NULL THEN '0'::xid8 ELSE least(
       (SELECT xact FROM events WHERE id >= $1 ORDER BY id LIMIT 1), pg_snapshot_xmin(pg_current_snapshot())
     ) END::text AS xact
   FROM event_feed`,
);

/** The end of the feed, which contains only events from transactions with a lower id. */
const findEndPosition = statement(
  { epoch: smallint, xact: text },
  'SELECT epoch, pg_snapshot_xmin(pg_current_snapshot())::text AS xact FROM event_feed',
);

const findEpoch = statement({ epoch: smallint }, 'SELECT epoch FROM event_feed');

/** Returns whether the newest event has a transaction id that this server has not assigned yet. */
const findNewestEvent = statement(
  { isInFuture: boolean },
  `SELECT xact > pg_snapshot_xmax(pg_current_snapshot()) AS "isInFuture" FROM events ORDER BY id DESC LIMIT 1`,
);

const beginEpoch = statement({}, 'UPDATE event_feed SET epoch = epoch + 1');

const realignEvents = statement(
  { id: uuid },
  `WITH batch AS (SELECT id FROM events WHERE id > $1 ORDER BY id LIMIT ${REALIGN_BATCH_SIZE})
   UPDATE events e SET xact = '${REALIGNED_XACT}'::xid8 FROM batch WHERE e.id = batch.id RETURNING e.id`,
);

/**
 * Reads the events within an access scope, in transaction order. An event appears only after all transactions with
 * lower ids have ended, so no event can appear before a position that was already returned.
 */
export class EventFeedRepository {
  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
  ) {}

  /** Returns up to `limit` events after a position, oldest first. Returns fewer if they are large. */
  async readPage(
    accessScope: AccessScope,
    filter: FeedFilter,
    after: FeedPosition,
    limit: number,
  ): Promise<FeedPage> {
    const window = filter.types ? PAGE_SCAN_LIMIT : limit + 1;
    const rows = await this.database.execute(readFeed(accessScope, filter, after, window, limit + 1));
    return toFeedPage(rows, after, limit, window);
  }

  /** Returns an event, or null if it does not exist within the access scope. */
  async find(accessScope: AccessScope, id: string): Promise<FeedEvent | null> {
    const [row] = await this.database.execute(findEvent(accessScope, id));
    return row ?? null;
  }

  /** Returns the position before all events, or before the events created after a time. */
  async startPosition(createdAfter: Date | null): Promise<FeedPosition> {
    const minId = createdAfter && minIdAt(createdAfter.getTime() - MAX_XACT_SKEW_MS);
    const [row] = await this.database.execute(findStartPosition, [minId]);
    return { epoch: row!.epoch, xact: BigInt(row!.xact), id: NIL_UUID };
  }

  /** Returns the position after all events that are currently visible in the feed. */
  async endPosition(): Promise<FeedPosition> {
    const [row] = await this.database.execute(findEndPosition);
    return { epoch: row!.epoch, xact: BigInt(row!.xact), id: NIL_UUID };
  }

  /** Converts a position from an earlier epoch to the current epoch. */
  async resolvePosition(position: FeedPosition): Promise<FeedPosition> {
    const [row] = await this.database.execute(findEpoch);
    const { epoch } = row!;
    return position.epoch === epoch ? position : { epoch, xact: REALIGNED_XACT, id: position.id };
  }

  /**
   * If a dump was restored into a server with lower transaction ids, assigns `REALIGNED_XACT` to all events and
   * starts a new epoch. The events are then sorted by id, and new events follow them. Without this, the feed would
   * hide the restored events until the server's transaction ids have caught up.
   * @returns true if this was necessary
   */
  async realign(): Promise<boolean> {
    const [newest] = await this.database.execute(findNewestEvent);
    if (!newest?.isInFuture) return false;
    // Starts the epoch first, so that positions from the old epoch are converted to the new order even while events are
    // being renumbered.
    await this.transactions.run((tx) => tx.execute(beginEpoch));
    for (let last: string | undefined = NIL_UUID; last;) {
      const batch: { id: string }[] = await this.database.execute(realignEvents, [last]);
      last = batch
        .map(({ id }) => id)
        .sort()
        .at(-1);
    }
    return true;
  }
}

/** Returns SQL for the feed's next rows, of all types. */
function feedScanSql(
  where: Conditions,
  accessScope: AccessScope,
  { projectId, createdAfter }: FeedFilter,
  after: FeedPosition,
  limit: number,
): string {
  where
    .add(`(e.xact, e.id) > (${where.bind(String(after.xact))}::text::xid8, ${where.bind(after.id)}::uuid)`)
    .add('e.xact < pg_snapshot_xmin(pg_current_snapshot())')
    .addIf(createdAfter, (value) => `e.created_at > ${value}`);
  const rows = (source: string): string =>
    `SELECT e.xact, e.id, e.type FROM ${source} ORDER BY e.xact, e.id LIMIT ${where.bind(limit)}`;
  if (projectId ?? accessScope.projectId) {
    where
      .addAccessScope('e', 'e.project_id', accessScope)
      .addIf(projectId, (value) => `e.project_id = ${value}`);
    return rows(`events e WHERE ${where.sql}`);
  }
  // Scans each organization in index order: one sorted scan over all organizations would read every row.
  const organizations = where.bind(accessScope.organizationIds);
  const each = rows(`events e WHERE e.organization_id = o.id AND ${where.sql}`);
  return rows(`organizations o CROSS JOIN LATERAL (${each}) e WHERE ${organizationsWithin(organizations)}`);
}

function toFeedPage(
  rows: RowOf<typeof feedRow>[],
  after: FeedPosition,
  limit: number,
  window: number,
): FeedPage {
  const position = ({ xact, id }: { xact: string; id: string }): FeedPosition => ({
    epoch: after.epoch,
    xact: BigInt(xact),
    id,
  });
  const matches = rows
    .flatMap(({ xact, id, body }) => (body === null ? [] : [{ xact, id, body }]))
    .sort((a, b) => Number(BigInt(a.xact) - BigInt(b.xact)) || (a.id < b.id ? -1 : 1));
  const page = matches.slice(0, limit);
  const events = page.map(({ id, body }) => ({ id, body }));
  const lastScanned = rows.find(({ scannedCount }) => scannedCount !== null);
  const isTruncated = matches.length > limit || matches.length < (lastScanned?.matchCount ?? 0);
  if (isTruncated) return { events, nextPosition: position(page.at(-1)!), hasMore: true };
  const nextPosition = lastScanned ? position(lastScanned) : after;
  return { events, nextPosition, hasMore: lastScanned?.scannedCount === window };
}

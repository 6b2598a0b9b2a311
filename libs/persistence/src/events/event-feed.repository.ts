import type { Reach } from '@gatehouse/domain';
import { Conditions, organizationsWithin } from '../conditions.js';
import { visibleBody } from '../customers/erasure-sql.js';
import type { Database } from '../database.js';
import { minIdAt, NIL_UUID } from '../uuid-v7.js';
import type { Transactions } from '../transactions.js';

/** A place between two events of the feed. */
export interface FeedPosition {
  /** Goes up when the numbers below begin anew: see `realign`. */
  epoch: number;
  /** Number of the transaction that wrote the event before. */
  xact: bigint;
  /** That event's id. */
  id: string;
}

export interface FeedFilter {
  projectId: string | null;
  /** Null: every type. */
  types: string[] | null;
  createdAfter: Date | null;
}

/** What happened in a project, with the bytes that its webhooks carry. */
export interface FeedEvent {
  id: string;
  body: string;
}

export interface FeedPage {
  events: FeedEvent[];
  /** Where the next page begins, whether or not there is anything yet. */
  nextPosition: FeedPosition;
  hasMore: boolean;
}

interface FeedRow {
  xact: string;
  id: string;
  body: string | null;
  scanned: number | null;
}

/** Rows that one page looks at when few of them match; the next page goes on from there. */
const PAGE_SCAN_LIMIT = 5_000;

/** The number that `realign` gives to every event it finds: below that of any transaction of our own. */
const REALIGNED_XACT = 3n;

const REALIGN_BATCH = 10_000;

/** Longest time between the number of a transaction and the `created_at` of its events, with room to spare. */
const MAX_XACT_SKEW_MS = 60_000;

/**
 * The events of a reach in the order of their transactions. An event is shown once no running transaction has a
 * lower number than its own, so nothing ever appears behind a position that was handed out.
 */
export class EventFeedRepository {
  constructor(
    private readonly database: Database,
    private readonly transactions: Transactions,
  ) {}

  /** Up to `limit` events after a position, oldest first. */
  async readPage(reach: Reach, filter: FeedFilter, after: FeedPosition, limit: number): Promise<FeedPage> {
    const scan = filter.types ? PAGE_SCAN_LIMIT : limit + 1;
    const { sql, values } = feedScanSql(reach, filter, after, scan);
    const matching = filter.types ? `WHERE type = ANY($${values.push(filter.types)})` : '';
    const rows = await this.database.query<FeedRow>(
      `WITH scanned AS MATERIALIZED (${sql}),
         page AS (SELECT xact, id FROM scanned ${matching} ORDER BY xact, id LIMIT $${values.push(limit + 1)})
       SELECT p.xact::text, p.id, ${visibleBody('e')} AS body, NULL::int AS scanned FROM page p JOIN events e ON e.id = p.id
       UNION ALL
       (SELECT s.xact::text, s.id, NULL, (SELECT count(*)::int FROM scanned) FROM scanned s
        ORDER BY s.xact DESC, s.id DESC LIMIT 1)`,
      values,
    );
    return toFeedPage(rows, after, limit, scan);
  }

  /** One event within a reach, or null. */
  async find(reach: Reach, id: string): Promise<FeedEvent | null> {
    const where = new Conditions().addReach('e', 'e.project_id', reach);
    const [row] = await this.database.query<FeedEvent>(
      `SELECT e.id, ${visibleBody('e')} AS body FROM events e WHERE ${where.sql} AND e.id = ${where.bind(id)}`,
      where.values,
    );
    return row ?? null;
  }

  /** The position before everything, or before what was created after a moment. */
  async startPosition(createdAfter: Date | null): Promise<FeedPosition> {
    const [row] = await this.database.queryPrepared<{ epoch: number; xact: string }>(
      `SELECT epoch, CASE WHEN $1::uuid IS NULL THEN '0'::xid8 ELSE coalesce(
           (SELECT xact FROM events WHERE id >= $1 ORDER BY id LIMIT 1), pg_snapshot_xmin(pg_current_snapshot())
         ) END::text AS xact
       FROM event_feed`,
      [createdAfter && minIdAt(createdAfter.getTime() - MAX_XACT_SKEW_MS)],
    );
    return { epoch: row!.epoch, xact: BigInt(row!.xact), id: NIL_UUID };
  }

  /** A position that was handed out, as it is called today. */
  async resolvePosition(position: FeedPosition): Promise<FeedPosition> {
    const [row] = await this.database.queryPrepared<{ epoch: number }>(`SELECT epoch FROM event_feed`);
    const { epoch } = row!;
    return position.epoch === epoch ? position : { epoch, xact: REALIGNED_XACT, id: position.id };
  }

  /**
   * After a dump was restored into another server, whose transactions count from a lower number: orders all events
   * by id, before any new one, and begins a new epoch. Otherwise the feed would hide them until the count has
   * caught up.
   * @returns whether that was so
   */
  async realign(): Promise<boolean> {
    const [newest] = await this.database.queryPrepared<{ ahead: boolean }>(
      `SELECT xact > pg_snapshot_xmax(pg_current_snapshot()) AS ahead FROM events ORDER BY id DESC LIMIT 1`,
    );
    if (!newest?.ahead) return false;
    // First the epoch: a position of the old one is then read as one of the new order, of which it is a place too.
    await this.transactions.run((tx) => tx.query(`UPDATE event_feed SET epoch = epoch + 1`));
    for (let last: string | undefined = NIL_UUID; last;) {
      const batch: { id: string }[] = await this.database.queryPrepared<{ id: string }>(
        `WITH batch AS (SELECT id FROM events WHERE id > $1 ORDER BY id LIMIT $2)
         UPDATE events e SET xact = $3::text::xid8 FROM batch WHERE e.id = batch.id RETURNING e.id`,
        [last, REALIGN_BATCH, String(REALIGNED_XACT)],
      );
      last = batch
        .map(({ id }) => id)
        .sort()
        .at(-1);
    }
    return true;
  }
}

/** The next rows of the feed, whatever their type. */
function feedScanSql(
  reach: Reach,
  { projectId, createdAfter }: FeedFilter,
  after: FeedPosition,
  limit: number,
): { sql: string; values: unknown[] } {
  const where = new Conditions();
  where
    .add(`(e.xact, e.id) > (${where.bind(String(after.xact))}::text::xid8, ${where.bind(after.id)}::uuid)`)
    .add('e.xact < pg_snapshot_xmin(pg_current_snapshot())')
    .addIf(createdAfter, (value) => `e.created_at > ${value}`);
  const rows = (source: string): string =>
    `SELECT e.xact, e.id, e.type FROM ${source} ORDER BY e.xact, e.id LIMIT ${where.bind(limit)}`;
  if (projectId ?? reach.projectId) {
    where.addReach('e', 'e.project_id', reach).addIf(projectId, (value) => `e.project_id = ${value}`);
    return { sql: rows(`events e WHERE ${where.sql}`), values: where.values };
  }
  // Organization by organization, each in the order of its index: one sorted walk over all would read every row.
  const organization = where.bind(reach.organizationId);
  const each = rows(`events e WHERE e.organization_id = o.id AND ${where.sql}`);
  const sql = rows(
    `organizations o CROSS JOIN LATERAL (${each}) e WHERE ${organizationsWithin(organization)}`,
  );
  return { sql, values: where.values };
}

function toFeedPage(rows: FeedRow[], after: FeedPosition, limit: number, scan: number): FeedPage {
  const position = ({ xact, id }: FeedRow): FeedPosition => ({ epoch: after.epoch, xact: BigInt(xact), id });
  const matches = rows
    .filter((row): row is FeedRow & { body: string } => row.body !== null)
    .sort((a, b) => Number(BigInt(a.xact) - BigInt(b.xact)) || (a.id < b.id ? -1 : 1));
  const lastScanned = rows.find(({ scanned: count }) => count !== null);
  const page = matches.slice(0, limit);
  const events = page.map(({ id, body }) => ({ id, body }));
  if (matches.length > limit) return { events, nextPosition: position(page.at(-1)!), hasMore: true };
  const end = lastScanned ? position(lastScanned) : after;
  return { events, nextPosition: end, hasMore: lastScanned?.scanned === scan };
}

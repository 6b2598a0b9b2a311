// Raw SQL: aggregates that are read from a single snapshot, and comparisons of transaction ids.
import type { Bucket, IdentityMetric } from '@gatehouse/domain';
import type { Transactions, Tx } from '../database/transactions.js';
import { REALIGNED_XACT } from '../events/event-feed.repository.js';
import { dynamicStatement, integer, jsonb, nullable, timestamptz } from '../sql/statements.js';
import { NIL_UUID } from '../sql/uuid-v7.js';
import { bucketStartSql, SYSTEM_SCOPE_ID, useIndexScans } from './attempt-count-sql.js';
import { useOneSnapshot } from './attempt-metrics.repository.js';
import { identityCountersSql, identityEventColumns, isIdentityEvent } from './identity-count-sql.js';
import { IN_SCOPE, jsonListSql, SHOWN_BUCKETS, storedRowsSql } from './metrics-query.js';
import { logStartTime } from './retained-rollups.js';

/** Maximum number of events that are counted live because they are not rolled up yet. */
const MAX_LIVE_EVENTS = 10_000;

/** Maximum number of labels per metric. */
const TOP_LIMIT = 10;

/** A metric's value in a bucket. */
export interface IdentityPoint {
  /** Bucket start, in seconds since 1970. */
  at: number;
  metric: IdentityMetric;
  count: number;
}

/** A label's sum over all buckets. */
export interface IdentityLabelCount {
  metric: IdentityMetric;
  label: string;
  count: number;
}

/** Identity counters since the first bucket's start, from one snapshot. */
export interface IdentityCounts {
  /** Time up to which events are counted. */
  to: Date;
  /** False if more events are waiting for the rollup than are counted live. */
  isComplete: boolean;
  series: IdentityPoint[];
  /** Values for the previous period; null if not requested or not completely rolled up. */
  previous: IdentityPoint[] | null;
  /** The ten most frequent labels per metric, most frequent first. */
  labels: IdentityLabelCount[];
  /** Latest active customer count; null before the first count. */
  customers: number | null;
  customersWithFactor: number | null;
}

const countsRow = {
  now: timestamptz,
  liveCount: integer,
  liveFrom: nullable(timestamptz),
  liveTo: nullable(timestamptz),
  series: jsonb<IdentityPoint[]>(),
  labels: jsonb<IdentityLabelCount[]>(),
  customers: nullable(integer),
  customersWithFactor: nullable(integer),
};

/** Returns SQL for a customer metric's latest value, added up over the scopes. */
const latestSql = (metric: IdentityMetric): string => `(
  SELECT sum(count)::int FROM identity_rollups stored
  WHERE span = 7200 AND scope_id = ANY ($1::uuid[]) AND metric = '${metric}' AND at = (
    SELECT at FROM identity_rollups WHERE span = 7200 AND at > statement_timestamp() - interval '1 day'
      AND scope_id = '${SYSTEM_SCOPE_ID}' AND metric = 'customers' ORDER BY at DESC LIMIT 1))`;

/** Returns SQL for each bucket's values, added up over their labels. */
const seriesSql = (counted: string): string =>
  `SELECT at, metric, sum(count)::int AS count FROM ${counted} WHERE metric <> 'provider' GROUP BY 1, 2`;

const SERIES_LIST = jsonListSql(
  'series',
  `'at', extract(epoch FROM at)::int8, 'metric', metric, 'count', count`,
);

const STORED_SERIES_QUERY = `
  WITH series AS (${seriesSql(`(${storedRowsSql('identity_rollups', SHOWN_BUCKETS, IN_SCOPE)}) stored`)})
  SELECT ${SERIES_LIST} AS series`;

/** Parameters: $1 scopes; $2 bucket length and $3 bucket start times; $4 projects, or null for the installation. */
const COUNTS_QUERY = `
  WITH progress AS MATERIALIZED (
    SELECT CASE WHEN p.epoch = f.epoch THEN p.xact ELSE '${REALIGNED_XACT}'::xid8 END AS xact, p.id
    FROM identity_rollup_progress p CROSS JOIN event_feed f
  ), live AS MATERIALIZED (
    SELECT ${identityEventColumns} FROM events e
    WHERE ${isIdentityEvent} AND (e.xact, e.id) > (SELECT xact, id FROM progress)
    ORDER BY e.xact, e.id LIMIT ${MAX_LIVE_EVENTS}
  ), counted AS MATERIALIZED (
    SELECT at, metric, label, count FROM (${storedRowsSql('identity_rollups', SHOWN_BUCKETS, IN_SCOPE)}) stored
    UNION ALL
    SELECT ${bucketStartSql('$2::int', 'created_at')}, metric, label, count(*)::int
    FROM ${identityCountersSql('live')}
    WHERE metric IS NOT NULL AND ${bucketStartSql('$2::int', 'created_at')} = ANY ($3::timestamptz[])
      AND ($4::uuid[] IS NULL OR project_id = ANY ($4::uuid[]))
    GROUP BY 1, 2, 3
  ), series AS (${seriesSql('counted')}), labels AS (
    SELECT * FROM (
      SELECT metric, label, sum(count)::int AS count, row_number() OVER (PARTITION BY metric ORDER BY sum(count) DESC, label) AS rank
      FROM counted WHERE label <> '' GROUP BY 1, 2
    ) ranked WHERE rank <= ${TOP_LIMIT} ORDER BY metric, rank
  )
  SELECT statement_timestamp() AS now, (SELECT count(*)::int FROM live) AS "liveCount",
    (SELECT min(created_at) FROM live) AS "liveFrom", (SELECT max(created_at) FROM live) AS "liveTo",
    ${SERIES_LIST} AS series,
    ${jsonListSql('labels', `'metric', metric, 'label', label, 'count', count`)} AS labels,
    ${latestSql('customers')} AS customers, ${latestSql('customers_with_factor')} AS "customersWithFactor"`;

/** Returns the parameters $1 to $3. */
const bucketValues = (projectIds: string[] | null, buckets: Bucket[]): unknown[] => [
  projectIds ?? [SYSTEM_SCOPE_ID],
  buckets[0]!.span,
  buckets.map(({ at }) => new Date(at * 1_000)),
];

/** The statement is not prepared, because the plan depends on the number of events that are not rolled up yet. */
const readCounts = dynamicStatement(
  countsRow,
  (projectIds: string[] | null, buckets: Bucket[]) => ({
    text: COUNTS_QUERY,
    values: [...bucketValues(projectIds, buckets), projectIds],
  }),
  [[[NIL_UUID], [{ span: 60, at: 0 }]]],
);

const readStoredSeries = dynamicStatement(
  { series: jsonb<IdentityPoint[]>() },
  (projectIds: string[] | null, buckets: Bucket[]) => ({
    text: STORED_SERIES_QUERY,
    values: bucketValues(projectIds, buckets),
  }),
  [[[NIL_UUID], [{ span: 60, at: 0 }]]],
);

/**
 * Counters for sign-ups, sign-ins and failures. They combine the workers' rollups with live counts of newer events,
 * so that reads take the same time regardless of how many events there are.
 */
export class IdentityMetricsRepository {
  /** Creates the repository. @param retentionMs event retention */
  constructor(
    private readonly transactions: Transactions,
    private readonly retentionMs: number,
  ) {}

  /**
   * Reads the counters.
   * @param projectIds projects to add up; null for the installation
   * @param buckets consecutive buckets of equal length, up to now
   * @param previous buckets for the previous period, or null to omit it
   */
  read(
    projectIds: string[] | null,
    buckets: Bucket[],
    previous: Bucket[] | null = null,
  ): Promise<IdentityCounts> {
    return this.transactions.run(async (tx) => {
      await tx.execute(useOneSnapshot);
      await tx.execute(useIndexScans);
      const [row] = await tx.execute(readCounts(projectIds, buckets));
      const { now, liveCount, liveFrom, liveTo, ...counts } = row!;
      const isComplete = liveCount < MAX_LIVE_EVENTS;
      return {
        ...counts,
        isComplete,
        to: isComplete ? now : liveTo!,
        previous: await this.readPrevious(tx, projectIds, previous, liveFrom),
      };
    });
  }

  /** Reads a past period's values. @param countedTo time of the oldest event that is not rolled up */
  private async readPrevious(
    tx: Tx,
    projectIds: string[] | null,
    buckets: Bucket[] | null,
    countedTo: Date | null,
  ): Promise<IdentityPoint[] | null> {
    if (!buckets) return null;
    const [first, last] = [buckets[0]!, buckets.at(-1)!];
    const isCounted = !countedTo || countedTo.getTime() >= (last.at + last.span) * 1_000;
    if (!isCounted || first.at * 1_000 < logStartTime(this.retentionMs)) return null;
    const [row] = await tx.execute(readStoredSeries(projectIds, buckets));
    return row!.series;
  }
}

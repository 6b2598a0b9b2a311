import { coveringBuckets, type Bucket } from '@gatehouse/domain';
import { minIdAt, parseIdTime } from '../uuid-v7.js';
import type { Transactions, Tx } from '../transactions.js';
import { USE_INDEX_SCANS, logStartTime, SYSTEM_SCOPE_ID } from './attempt-count-sql.js';
import { SYSTEM_METRICS_QUERY, PROJECT_METRICS_QUERY, MAX_LIVE_ATTEMPTS } from './metrics-query.js';
import { readOverviewBacklog, type OverviewBacklog } from './overview-backlog.js';

/** Maximum time in ms between the time in an attempt's id and its `started_at`, with a margin. */
const MAX_STARTED_AT_SKEW_MS = 60_000;

export interface EventBreakdown {
  event: string;
  attempts: number;
  failed: number;
}

export interface EndpointBreakdown {
  endpointId: string;
  url: string;
  /** Project of the endpoint. */
  projectId: string | null;
  attempts: number;
  failed: number;
}

/** Metrics of attempts since the start of a bucket, as of one moment. */
export interface OverviewMetrics extends OverviewBacklog {
  /** Time up to which attempts are counted. */
  to: Date;
  /**
   * Time since which all attempts are counted, while older attempts are still to be counted; otherwise null.
   */
  completeFrom: Date | null;
  /** Stored counters of the buckets that have any, in any order. Several entries of one bucket add up. */
  series: { at: number; counts: number[] }[];
  /** The event types with the most attempts. */
  byEvent: EventBreakdown[];
  /** The endpoints with the most failed attempts. */
  worstEndpoints: EndpointBreakdown[];
}

interface Row extends Pick<OverviewMetrics, 'series' | 'byEvent' | 'worstEndpoints'> {
  liveCount: number;
  /** Time of the newest attempt that was counted live, in ms since 1970. */
  liveTo: number | null;
}

/**
 * Metrics of the complete installation or of a project, independent of the length of the log: the rollups of
 * the workers plus the attempts that they do not include yet.
 */
export class AttemptMetricsRepository {
  /** Creates the repository. @param retentionMs retention of the log */
  constructor(
    private readonly transactions: Transactions,
    private readonly retentionMs: number,
  ) {}

  /**
   * Reads the metrics.
   * @param range consecutive buckets of one length, up to now; buckets before the start of the log are empty
   */
  read(projectId: string | null, range: Bucket[]): Promise<OverviewMetrics> {
    const begin = logStartTime(this.retentionMs) / 1_000;
    const buckets = range.filter(({ at }) => at >= begin);
    return this.transactions.run(async (tx) => {
      // One snapshot: attempts that are rolled up between two statements would be missed or counted twice.
      await tx.query(`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; ${USE_INDEX_SCANS}`);
      const [counted] = await tx.query<{ first: string; next: string; now: Date }>(
        'SELECT first_id AS first, next_id AS next, statement_timestamp() AS now FROM attempts_counted',
      );
      const from = buckets[0]!.at * 1_000;
      const row = await this.readRow(tx, projectId, buckets, counted!.next);
      return {
        to: row.liveCount === MAX_LIVE_ATTEMPTS ? new Date(row.liveTo!) : counted!.now,
        completeFrom: parseIdTime(counted!.first) > from ? new Date(parseIdTime(counted!.first)) : null,
        series: row.series,
        byEvent: row.byEvent,
        worstEndpoints: row.worstEndpoints,
        ...(await readOverviewBacklog(tx, projectId)),
      };
    });
  }

  private async readRow(tx: Tx, projectId: string | null, buckets: Bucket[], next: string): Promise<Row> {
    const [first, last] = [buckets[0]!, buckets.at(-1)!];
    const covering = coveringBuckets(first, last.at + last.span - 1);
    const from = minIdAt(first.at * 1_000 - MAX_STARTED_AT_SKEW_MS);
    const times = (of: Bucket[]): Date[] => of.map(({ at }) => new Date(at * 1_000));
    const [row] = await tx.query<Row>(projectId ? PROJECT_METRICS_QUERY : SYSTEM_METRICS_QUERY, [
      projectId ?? SYSTEM_SCOPE_ID,
      first.span,
      times(buckets),
      covering.map(({ span }) => span),
      times(covering),
      next > from ? next : from,
      new Date(first.at * 1_000),
      new Date((last.at + last.span) * 1_000),
    ]);
    return row!;
  }
}

// This file contains SQL: aggregates, in a transaction with one snapshot.
import { coveringBuckets, type Bucket } from '@gatehouse/domain';
import { dynamicStatement, integer, jsonb, nullable, statement, timestamptz, uuid } from '../statements.js';
import { minIdAt, NIL_UUID, parseIdTime } from '../uuid-v7.js';
import type { Transactions } from '../transactions.js';
import { logStartTime, SYSTEM_SCOPE_ID, useIndexScans } from './attempt-count-sql.js';
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
  name: string;
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

/** One snapshot: attempts that are rolled up between two statements would be missed or counted twice. */
const useOneSnapshot = statement({}, 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');

const findProgress = statement(
  { firstId: uuid, nextId: uuid, now: timestamptz },
  'SELECT first_id AS "firstId", next_id AS "nextId", statement_timestamp() AS now FROM attempts_counted',
);

/**
 * Not prepared: the plan depends on the number of attempts from `nextId` on, the first id that is not rolled
 * up.
 */
const readMetrics = dynamicStatement(
  {
    liveCount: integer,
    /** Time of the newest attempt that was counted live. */
    liveTo: nullable(timestamptz),
    series: jsonb<OverviewMetrics['series']>(),
    byEvent: jsonb<EventBreakdown[]>(),
    worstEndpoints: jsonb<EndpointBreakdown[]>(),
  },
  (projectId: string | null, buckets: Bucket[], nextId: string) => {
    const [first, last] = [buckets[0]!, buckets.at(-1)!];
    const covering = coveringBuckets(first, last.at + last.span - 1);
    const minId = minIdAt(first.at * 1_000 - MAX_STARTED_AT_SKEW_MS);
    const startTimes = (list: Bucket[]): Date[] => list.map(({ at }) => new Date(at * 1_000));
    const values = [
      projectId ?? SYSTEM_SCOPE_ID,
      first.span,
      startTimes(buckets),
      covering.map(({ span }) => span),
      startTimes(covering),
      nextId > minId ? nextId : minId,
      new Date(first.at * 1_000),
      new Date((last.at + last.span) * 1_000),
    ];
    return { text: projectId ? PROJECT_METRICS_QUERY : SYSTEM_METRICS_QUERY, values };
  },
  [
    [null, [{ span: 60, at: 0 }], NIL_UUID],
    [NIL_UUID, [{ span: 60, at: 0 }], NIL_UUID],
  ],
);

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
      await tx.execute(useOneSnapshot);
      const [progress] = await tx.execute(findProgress);
      await tx.execute(useIndexScans);
      const [row] = await tx.execute(readMetrics(projectId, buckets, progress!.nextId));
      const countedFrom = parseIdTime(progress!.firstId);
      return {
        to: row!.liveCount === MAX_LIVE_ATTEMPTS ? row!.liveTo! : progress!.now,
        completeFrom: countedFrom > buckets[0]!.at * 1_000 ? new Date(countedFrom) : null,
        series: row!.series,
        byEvent: row!.byEvent,
        worstEndpoints: row!.worstEndpoints,
        ...(await readOverviewBacklog(tx, projectId)),
      };
    });
  }
}
